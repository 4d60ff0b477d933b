-- +goose Up

-- What the newest report found, in one line: lists call the session by it. And why a paused session waits, if it does
-- not wait for people: a constant Trouble… of package workflow.
alter table sessions add column finding text not null default '', add column trouble text not null default '';
