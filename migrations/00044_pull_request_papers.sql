-- +goose Up

-- The repository's own template, as it was when its branch was pushed; empty: it has none.
alter table pull_requests add column template text not null default '';

-- What a pull request has besides its text: labels, and people who are asked. A row stands before the host is
-- asked; after a crash the host is looked at, and asked again only for what is missing.
create table pull_request_papers (
    repository text not null,
    branch     text not null,
    what       text not null check (what in ('labels', 'assignees', 'reviewers')),
    names      text[] not null,
    state      text not null default 'intended' check (state in ('intended', 'done', 'refused')),
    tried_at   timestamptz,              -- since then the host may have it
    reason     text not null default '', -- why it was refused, or which names the host did not take
    at         timestamptz not null default now(),
    primary key (repository, branch, what),
    foreign key (repository, branch) references pull_requests (repository, branch)
);
