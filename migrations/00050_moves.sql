-- +goose Up

-- A session that is to go on in a new thread of another channel, at the word of a person. The row is there before the
-- thread is: the message that begins the thread is the row of the outbox with that key, and is posted once. Then the
-- session belongs to the new thread.
create table moves (
    session_id    text not null references sessions (id),
    number        int not null,               -- 1, 2, … within the session
    key           text not null unique,       -- of the row of the outbox that begins the new thread
    team          text not null,
    channel       text not null,              -- the thread that is left
    thread_ts     text not null,
    to_channel    text not null,
    to_name       text not null,              -- the channel's name, for people
    link          text not null,              -- the address of the new thread, in which {ts} stands for its ts
    text          text not null,              -- as the new thread begins
    revision      int not null,               -- newest revision that the text is about
    state         text not null check (state in ('offered', 'intended', 'moved', 'refused')),
    to_ts         text not null default '',   -- from 'moved' on: ts of the new thread
    newest        text not null default '',   -- from 'moved' on: messages up to this ts are in the thread that is left
    reason        text not null default '',   -- why Slack refused it
    permission_id text,
    user_id       text,
    user_name     text not null default '',
    message_ts    text,
    at            timestamptz not null default now(),
    primary key (session_id, number),
    constraint moves_have_permissions check (permission_id is not null or state = 'offered'),
    constraint moves_by_permission foreign key (permission_id, session_id, user_id, message_ts)
        references permissions (id, session_id, user_id, message_ts)
);
create index moves_left on moves (team, channel, thread_ts) where state = 'moved';
create unique index moves_under_way on moves (session_id) where state = 'intended';
create index moves_into on moves (to_channel) where state = 'intended';

alter table permissions drop constraint permissions_what_check;
alter table permissions add constraint permissions_what_check check (what in (
    'report', 'plan', 'understanding', 'request', 'resume', 'adopt', 'push', 'limit', 'put_back', 'backport', 'file', 'move'));

-- The thread of a posting, where it is not the session's present one. An empty thread_ts begins a thread.
alter table outbox
    add column channel   text,
    add column thread_ts text,
    add column move      int; -- what is said because of that move of the session, in either thread
