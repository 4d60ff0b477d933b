-- +goose Up

-- A line that one person alone is shown, with the name of that person. If Slack does not show it to the person alone,
-- it is posted in the thread.
alter table outbox
    add column ephemeral_line jsonb,
    add column ephemeral_name text not null default '';

-- The number of a question in its interview (0: it is of none), and the question that it puts again.
alter table questions
    add column number   int not null default 0,
    add column again_of bigint references questions (id);
