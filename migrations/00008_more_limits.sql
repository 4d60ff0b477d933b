-- +goose Up

-- What a session's commands printed, before anything of it was cut, and what its folder took
-- of a machine's disk when that was last looked at; both in bytes.
alter table sessions
    add column printed bigint not null default 0,
    add column disk    bigint not null default 0;

-- A day's use is more than money.
alter table spending
    add column tokens    bigint not null default 0,
    add column worked_ms bigint not null default 0;
