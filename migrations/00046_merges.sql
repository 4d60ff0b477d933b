-- +goose Up

-- What the thread was told of conflicts of a pushed branch with the branch that it is to be merged into. A branch
-- without a pull request is followed by this row alone.
create table branch_conflicts (
    repository text not null, -- its name in the configuration
    branch     text not null,
    session_id text not null references sessions (id),
    base       text not null, -- the branch that it is to be merged into
    head       text not null, -- the pushed commit that was looked at last
    onto       text not null default '', -- the base's commit that it was looked at with
    state      text not null default 'clear' check (state in ('clear', 'conflicts', 'ended')),
    files      text[] not null default '{}', -- the paths that conflict
    followed   boolean not null default false, -- it has no pull request
    news_at    timestamptz not null default now(),
    primary key (repository, branch)
);
create index branch_conflicts_session on branch_conflicts (session_id);

-- The merge of a commit of the base into a pushed branch, as a person who may approve asked for it. It is a
-- revision with an approval like any other; the row says what the program merges before anything is done under it.
create table base_merges (
    session_id text not null references sessions (id),
    revision   int not null,
    repository text not null,
    branch     text not null,
    ours       text not null, -- the commit of the branch
    base       text not null, -- the name of the branch that is merged
    theirs     text not null, -- and its commit
    common     text not null, -- the nearest common ancestor of both
    files      text[] not null default '{}', -- the paths that may differ from what git alone makes of the merge
    clashes    text[] not null default '{}', -- the paths that conflict
    state      text not null default 'asked' check (state in ('asked', 'merged')),
    tree       text not null default '', -- from 'merged' on: the merged files, with conflicts between markers
    at         timestamptz not null default now(),
    primary key (session_id, revision),
    foreign key (session_id, revision) references reports (session_id, revision)
);
