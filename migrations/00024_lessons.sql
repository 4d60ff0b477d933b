-- +goose Up

-- What was learned of a repository: what the program itself saw, and what members said.
create table lessons (
    id         bigint generated always as identity primary key,
    repository text not null,
    folder     text not null default '', -- that it is of; empty: all of it
    key        text not null,            -- of what there is one row each
    text       text not null,
    source     text not null,
    person     text not null default '', -- who said it; empty: the program saw it
    session_id text not null default '', -- where; it may be gone
    at         timestamptz not null default now(),
    unique (repository, folder, key)
);

insert into lessons (repository, folder, key, text, source, at)
    select repository, folder, 'test', 'Its tests are run with: ' || command, source, at from test_commands;
