-- +goose Up

-- A look back in a repository's history, and at its releases: since when what shows a bug is red,
-- and where else. It is asked for with a push (push:COMMIT) or a report (report:REVISION), worked
-- beside the turns, and only the newest of a session is worth ending.
create table lookbacks (
    id         bigint generated always as identity primary key,
    session_id text not null references sessions (id),
    key        text not null,
    repository text not null,
    base       text not null, -- commit, at which it is red
    probe      jsonb not null,
    state      text not null default 'open' check (state in ('open', 'done', 'stopped', 'superseded')),
    found      jsonb,
    at         timestamptz not null default now(),
    unique (session_id, key)
);
create index lookbacks_open on lookbacks (session_id) where state = 'open';

-- What a commit was, each time that it was asked: nothing is run twice after a restart.
create table lookback_tries (
    lookback_id bigint not null references lookbacks (id) on delete cascade,
    commit_hash text not null,
    nth         int not null,
    answer      text not null,
    why         text not null default '',
    took_ms     bigint not null,
    primary key (lookback_id, commit_hash, nth)
);
