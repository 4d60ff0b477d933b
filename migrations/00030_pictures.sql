-- +goose Up

-- Pictures of a project's pages before and after a push, taken beside the turns. They are asked for
-- with the push (push:COMMIT), and taken, kept and said once.
create table pictures (
    id          bigint generated always as identity primary key,
    session_id  text not null references sessions (id),
    key         text not null,
    repository  text not null,
    base        text not null, -- commits
    commit_hash text not null,
    changed     text[] not null, -- paths
    state       text not null default 'open' check (state in ('open', 'done', 'stopped')),
    at          timestamptz not null default now(),
    unique (session_id, key)
);
create index pictures_open on pictures (session_id) where state = 'open';

-- A page of it, with what looks different boxed. One that is new has no picture from before.
create table picture_pages (
    picture_id  bigint not null references pictures (id) on delete cascade,
    number      int not null,
    page        text not null,
    places      int not null, -- that look different
    before      bytea,
    before_kind text not null default '', -- png or jpg
    after       bytea not null,
    after_kind  text not null,
    primary key (picture_id, number)
);
