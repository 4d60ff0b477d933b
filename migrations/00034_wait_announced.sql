-- +goose Up

-- Whether the session was asked to say that it waits. Who first finds that another replica has the
-- room may still come to wait.
alter table seats add column wait_announced boolean not null default false;
