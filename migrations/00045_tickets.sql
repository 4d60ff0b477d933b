-- +goose Up

-- What goes out to a tracker or to the issues of a git host: an issue that somebody had filed, and a comment with
-- the result on a ticket that the request named. The key says what it is of, so that it goes out once. The row
-- stands before anything is sent, and holds the mark by which it is found there after a crash.
alter table permissions drop constraint permissions_what_check;
alter table permissions add constraint permissions_what_check check (what in (
    'report', 'plan', 'understanding', 'request', 'resume', 'adopt', 'push', 'limit', 'put_back', 'backport', 'file'));

create table tickets (
    session_id    text not null references sessions (id),
    key           text not null, -- issue:revision:2, issue:words:17, or comment:jira:SHOP-12
    mark          text not null unique,
    repository    text not null, -- its name in the configuration
    place         text not null, -- where it goes, for people
    tracker       text not null default '', -- of a comment: the kind of the tracker
    issue         text not null default '', -- of a comment: the issue, as its tracker names it
    revision      int not null default 0,   -- of the report that it holds
    title         text not null default '',
    body          text not null,
    permission_id text, -- null: it is only offered, or is a comment, which the approval of the work allows
    permitted     text not null default 'file' check (permitted = 'file'),
    user_id       text,
    user_name     text not null default '',
    message_ts    text,
    state         text not null check (state in ('offered', 'intended', 'filed', 'refused')),
    tried_at      timestamptz,              -- since then it may be there
    shown         text not null default '', -- the issue that was filed, for people
    url           text not null default '',
    reason        text not null default '', -- why it was refused
    at            timestamptz not null default now(),
    primary key (session_id, key),
    constraint tickets_have_permissions
        check (permission_id is not null or state = 'offered' or key like 'comment:%'),
    constraint tickets_by_permission foreign key (permission_id, session_id, user_id, message_ts)
        references permissions (id, session_id, user_id, message_ts),
    constraint tickets_as_permitted foreign key (permission_id, permitted) references permissions (id, what)
);
