-- +goose Up

-- When what was said and made in the session was cleaned away. What was decided stays, and
-- thread_ts has the session's id behind it from then on, so that the thread is free for a
-- new session.
alter table sessions add column cleared_at timestamptz;

create index sessions_by_age on sessions (updated_at) where cleared_at is null;
create index sessions_cleared on sessions (updated_at) where cleared_at is not null;
create index inbox_of_session on inbox (session_id, id);
create index outbox_of_session on outbox (session_id);
create index outbox_of_line on outbox (line_id);
create index buttons_of_session on buttons (session_id);
create index decisions_of_session on decisions (session_id);
create index questions_of_session on questions (session_id);
create index checks_of_task on checks (task_id);
