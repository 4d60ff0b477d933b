-- +goose Up

-- How a repository is tested, where its files do not say it, as an agent found out: proven on base
-- and branch like any other command, and shown in the thread.
create table test_commands (
    repository text not null,
    folder     text not null default '', -- that the work is limited to
    command    text not null,            -- as the agent wrote it
    source     text not null,            -- who named it, and what says so
    at         timestamptz not null default now(),
    primary key (repository, folder)
);
