-- +goose Up

-- Each hunk of a fix, taken out alone: whether anything fails without it, and why it stays where
-- nothing does. Of one change, which a push of the same tree and base is of.
create table tried_hunks (
    session_id text not null references sessions (id),
    base       text not null, -- commit
    tree       text not null,
    hunks      jsonb not null,
    at         timestamptz not null default now(),
    primary key (session_id, base, tree)
);
