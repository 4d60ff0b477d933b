-- +goose Up

-- Problems that apps posted alerts about, in a channel: one row a problem, however many alerts.
-- An alert that is not newer than the newest one was counted before.
create table alerts (
    team        text not null,
    channel     text not null,
    fingerprint text not null,
    session_id  text references sessions (id),
    app         text not null,
    title       text not null,
    seen        int not null default 1,
    last_ts     text not null,
    again       boolean not null default false, -- it came after the fix, and the thread was told
    begun_at    timestamptz,                    -- when the session was begun; null: none was, at the limit
    at          timestamptz not null default now(),
    primary key (team, channel, fingerprint)
);
create index alerts_of_session on alerts (session_id);
create index alerts_begun on alerts (team, channel, begun_at);
