-- +goose Up

-- One message shows how a run goes on, from the word that allowed it to its end, and is
-- written again as it does. What it shows is in the rows of session and tasks; here is where
-- the run began and ended, and what its message shows now.
create table cards (
    session_id   text not null references sessions (id),
    run          int not null,
    key          text not null unique, -- of its posting in the outbox
    stop         text not null,        -- its button
    began_ms     bigint not null,      -- worked_ms, spent_usd and the newest task when the run began
    began_usd    double precision not null,
    began_task   int not null,
    -- How the run ended, and the same figures then; null while it goes on.
    ended        text,
    ended_ms     bigint,
    ended_usd    double precision,
    ended_task   int,
    -- When it is to be drawn again; null: when something changes. Who draws it has it for a
    -- while, by the number of its claim.
    due_at       timestamptz,
    leased_until timestamptz,
    claims       int not null default 0,
    drawn_at     timestamptz,
    shown        text not null default '', -- stands for what the message shows
    gone         text,                     -- why it cannot be written any more
    at           timestamptz not null default now(),
    primary key (session_id, run)
);
create unique index cards_open on cards (session_id) where ended is null;
create index cards_due on cards ((least(due_at, leased_until))) where due_at is not null or leased_until is not null;

alter table outbox add column card int;

-- A task as people are shown it: in one line, with secrets masked.
alter table tasks add column shown text not null default '';
