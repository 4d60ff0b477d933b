-- +goose Up

-- The way of working that a person asked for (grill-me, start-work, diagnose), where a
-- session that is paused or consulting goes back to, and how far its interview is.
alter table sessions
    add column way     text not null default '',
    add column was     text not null default '',
    add column asked   int not null default 0,
    add column may_ask int not null default 0;

-- A task of a plan, how often it failed, and the tree that it works in where others work
-- beside it.
alter table tasks
    add column plan       int not null default 0,
    add column failures   int not null default 0,
    add column start_tree text not null default '',
    add column tree       text not null default '',
    add column apart      boolean not null default false;

alter table attempts add column diff text not null default '';

-- Text files that go with a line.
alter table outbox add column files json;

-- What the thread was asked. A question without an answer by its due time is answered by
-- its recommended option.
create table questions (
    id          bigint generated always as identity primary key,
    session_id  text not null references sessions (id),
    text        text not null,
    options     json not null,
    recommended text not null,
    -- Decisions that were not put yet, with the answers that stand for them.
    open        json not null,
    due_at      timestamptz,
    answer      text not null default '',
    answered_by text not null default '',
    at          timestamptz not null default now()
);
create index questions_waiting on questions (session_id) where answer = '';

-- Questions to agents that only read: the consultant, who explains a diff, who holds a
-- diff against a scope. The key is natural, so that one that is asked again is found.
create table inquiries (
    id         bigint generated always as identity primary key,
    session_id text not null references sessions (id),
    kind       text not null,
    key        text not null,
    question   text not null,
    asked_by   text not null default '',
    answer     json,
    applied    boolean not null default false,
    at         timestamptz not null default now(),
    unique (session_id, key)
);

-- What the program itself saw when a worker had it build and test: which tests failed.
-- A skill may ask for a failure to be seen before a success.
create table checks (
    id      bigint generated always as identity primary key,
    task_id bigint not null references tasks (id),
    red     text[] not null,
    built   boolean not null,
    at      timestamptz not null default now()
);

-- Commands that an agent had run, and how they ended: what a report says was shown.
create table commands (
    id         bigint generated always as identity primary key,
    session_id text not null references sessions (id),
    task_id    bigint not null default 0,
    command    text not null,
    exit_code  int not null,
    output     text not null,
    at         timestamptz not null default now()
);
create index commands_of_session on commands (session_id, id);
