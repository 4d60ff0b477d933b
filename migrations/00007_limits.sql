-- +goose Up

-- What a session has used, beside its money; and since when it rests at a limit, until
-- somebody allows more.
alter table sessions
    add column tokens     bigint not null default 0,
    add column commands   bigint not null default 0,
    add column worked_ms  bigint not null default 0,
    add column limited_at timestamptz;

-- Money by day, as this database counts them, in UTC.
create table spending (
    session_id text not null references sessions (id),
    day        date not null,
    team       text not null,
    channel    text not null,
    person     text not null, -- who asked for the session
    usd        double precision not null,
    primary key (session_id, day)
);
create index spending_of_day on spending (day);

-- What people allowed beyond a limit: for one session, or on one day (a date) for one
-- subject. The number makes two people's word at the same moment one.
create table extensions (
    name       text not null,
    subject    text not null,
    day        text not null default '',
    number     int not null,
    amount     double precision not null,
    session_id text not null references sessions (id), -- where it was said
    user_id    text not null,
    user_name  text not null,
    message_ts text not null,
    at         timestamptz not null default now(),
    primary key (name, subject, day, number)
);
create index extensions_of_session on extensions (session_id);

-- That a limit is near was said; once for each number of extensions before it.
create table limit_warnings (
    name       text not null,
    subject    text not null,
    day        text not null default '',
    number     int not null,
    session_id text not null references sessions (id),
    at         timestamptz not null default now(),
    primary key (name, subject, day, number)
);
create index limit_warnings_of_session on limit_warnings (session_id);
