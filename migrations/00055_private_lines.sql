-- +goose Up

-- A line that one person alone is shown, with the name of that person. If Slack does not show it to the person alone,
-- it is posted in the thread.
alter table outbox
    add column ephemeral_line jsonb,
    add column ephemeral_name text not null default '';
