-- +goose Up

-- Commands that run at this moment, for whoever wonders why nothing is said. A row counts
-- while its turn is the session's newest; what a dead worker left means nothing.
create table under_way (
    id         bigint generated always as identity primary key,
    session_id text not null references sessions (id),
    epoch      bigint not null,
    what       text not null,
    since      timestamptz not null default now()
);
create index under_way_of_session on under_way (session_id);
