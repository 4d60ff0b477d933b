-- +goose Up

-- The files that a session has made, as a git pack of what its base does not hold: another
-- machine, or this one after its disk is gone, gets them back from here. task_id 0 is the
-- session's own tree, others those that tasks work in side by side.
create table workspaces (
    session_id text not null references sessions (id),
    task_id    bigint not null default 0,
    tree       text not null,
    pack       bytea not null,
    at         timestamptz not null default now(),
    primary key (session_id, task_id)
);
