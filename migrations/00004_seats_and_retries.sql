-- +goose Up

-- How many facts the session holds. A fact whose commit was cut off is found to be there
-- by its number, and is not written a second time.
alter table sessions add column recorded bigint not null default 0;

-- When a session last took the blame for the death of its worker; see crashes.
alter table sessions add column crashed_at timestamptz;

-- Who is at work, over all replicas, and who waits for a place, in order. A row counts as
-- long as its job lives, so what a dead replica held is free when its jobs are taken over.
create table seats (
    session_id text primary key references sessions (id),
    repository text not null,
    job_id     bigint not null,
    held       boolean not null default false,
    since      timestamptz not null default now()
);

-- What has something to do, for whoever looks for sessions that no job stands for; messages
-- and postings have such an index.
create index sessions_open on sessions (id) where open;
