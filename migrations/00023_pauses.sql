-- +goose Up

-- What whoever runs the program has paused.
create table pauses (
    scope     text not null check (scope in ('all', 'repository', 'channel')),
    name      text not null default '', -- of the repository, or the channel's id
    paused_by text not null,
    at        timestamptz not null default now(),
    primary key (scope, name)
);

-- That a session's thread was told of a pause. While it stands, nobody wakes the session.
create table pauses_told (
    session_id text not null references sessions (id),
    scope      text not null,
    name       text not null,
    at         timestamptz not null, -- when that pause began
    primary key (session_id, scope, name, at)
);
