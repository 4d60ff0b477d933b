-- +goose Up

-- What the program took out of a change, since it stands outside the scope of its approval.
-- Somebody who may approve may have it put back: exactly that, by its hash.
create table removals (
    hash          text not null,            -- of the approval and of the trees with and without it
    session_id    text not null references sessions (id),
    approval_id   text not null references approvals (id),
    task_id       bigint not null default 0, -- whose claim it was taken out of; 0: of the whole work
    hunks         jsonb not null,
    with_tree     text not null,
    without_tree  text not null,
    pack          bytea,
    at            timestamptz not null default now(),
    user_id       text not null default '',  -- who had it put back
    user_name     text not null default '',
    message_ts    text not null default '',
    permission_id text,
    allowed_at    timestamptz,
    laid          boolean not null default false, -- it stands in the files again
    primary key (session_id, hash),
    constraint removals_have_permissions check (user_id = '' or permission_id is not null),
    constraint removals_by_permission foreign key (permission_id, session_id, user_id, message_ts)
        references permissions (id, session_id, user_id, message_ts)
);

alter table permissions drop constraint permissions_what_check;
alter table permissions add constraint permissions_what_check
    check (what in ('report', 'plan', 'understanding', 'request', 'resume', 'adopt', 'push', 'limit', 'put_back'));

-- `stopped` are questions of people that a stop ended: they are asked again when the session
-- goes on. `alone`: nothing else was under way, so nothing else goes on with them.
alter table inquiries
    add column stopped boolean not null default false,
    add column alone   boolean not null default false;

-- Whom the agents' program gives a message to: a task, by its id; -1: the orchestrator alone;
-- 0: whoever works.
alter table inbox add column for_task bigint not null default 0;
