-- +goose Up

-- Files that people attached to what they wrote, with what could be read of them: any
-- replica, and any turn after this one, gets them from here. Text is kept with its secrets
-- masked. `state` is empty until somebody tried to read the file.
create table attachments (
    session_id text not null references sessions (id),
    number     int not null, -- agents call it attachment:<number>
    message_ts text not null,
    file_id    text not null,
    name       text not null,
    kind       text not null default '', -- what it is said to be
    mode       text not null default '',
    size       bigint not null default 0,
    url        text not null default '',
    state      text not null default '',
    why        text not null default '', -- it was not read, in words
    media      text not null default '', -- what it is by its content
    content    bytea,
    at         timestamptz not null default now(),
    primary key (session_id, number),
    unique (session_id, message_ts, file_id)
);

-- Where the places (path:line) in a line are, so that they can be made links.
alter table lines add column code json;
