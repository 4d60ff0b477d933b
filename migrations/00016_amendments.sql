-- +goose Up

-- What people who may approve said after an approval becomes part of what was approved: the
-- words that agents were given, under the revision that they correct. A message that is
-- edited gets a row more, and the newest one of a message counts; one without text is
-- withdrawn.
create table amendments (
    session_id text   not null references sessions (id),
    revision   int    not null,
    message_id bigint not null, -- the row of the inbox
    message_ts text   not null,
    user_id    text   not null,
    user_name  text   not null default '',
    text       text   not null,
    at         timestamptz not null default now(),
    primary key (session_id, message_id),
    foreign key (session_id, revision) references reports (session_id, revision)
);

-- How a commit names people: Ann Author <ann@example.com>. It is kept where they are read,
-- so that a commit made again is the same.
alter table reports add column credits text[] not null default '{}';
alter table approvals add column credit text not null default '';
