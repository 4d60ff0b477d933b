-- +goose Up

-- A line that only tells how the work goes on: while nothing stands below the newest reply of
-- such lines, another one joins it there instead of making a message of its own.
alter table outbox add column progress boolean not null default false;

-- A rewritten message that keeps its first line only, since a newer one below says it all anew.
alter table outbox add column brief boolean not null default false;
