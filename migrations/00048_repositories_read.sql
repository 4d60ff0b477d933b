-- +goose Up

-- The other repositories that a session's agents read, each at one commit for as long as the session lasts.
create table repositories_read (
    session_id  text not null references sessions (id),
    repository  text not null, -- its name in the configuration
    branch      text not null,
    commit_hash text not null,
    at          timestamptz not null default now(),
    primary key (session_id, repository)
);
