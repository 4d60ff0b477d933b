-- +goose Up

-- The pull request of a branch that was pushed, at the repository's host. The row stands before
-- the host is asked; what became of it is kept beside.
create table pull_requests (
    repository text not null, -- its name in the configuration
    branch     text not null,
    session_id text not null references sessions (id),
    head       text not null, -- the commit that was pushed last
    base       text not null, -- the branch that it is to go into
    title      text not null,
    body       text not null,
    files      text[] not null default '{}',     -- that were changed
    state      text not null default 'intended', -- intended, open, merged, reverted, closed, refused
    tried_at   timestamptz,                      -- since then the host may have it
    number     bigint not null default 0,
    url        text not null default '',
    reason     text not null default '',         -- why it was refused
    checked    text not null default '',         -- what the thread knows of its checks
    failure    text not null default '',         -- what failed, for whoever mends it
    heard      timestamptz not null default 'epoch', -- up to where its comments were taken in, by the host's clock
    looked_at  timestamptz,
    news_at    timestamptz not null default now(),
    at         timestamptz not null default now(),
    primary key (repository, branch)
);
create index pull_requests_session on pull_requests (session_id);
