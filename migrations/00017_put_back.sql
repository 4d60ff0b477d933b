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

create or replace view audited as
    select session_id, 'decision' as what, id::text as name, at, jsonb_build_object('what', what, 'allowed', allowed, 'reason', reason,
        'user', user_id, 'message', message_ts, 'revision', revision, 'at', (extract(epoch from at) * 1000000)::bigint)::text as content
    from decisions
    union all
    select session_id, 'report', revision::text, at, jsonb_build_object('kind', kind, 'hash', hash, 'base', base_commit,
        'text', encode(sha256(convert_to(text, 'UTF8')), 'hex'), 'at', (extract(epoch from at) * 1000000)::bigint)::text
    from reports
    union all
    select session_id, 'permission', id, at, jsonb_build_object('what', what, 'revision', revision, 'user', user_id, 'name', user_name,
        'message', message_ts, 'row', message_id, 'rests_on', rests_on, 'at', (extract(epoch from at) * 1000000)::bigint)::text
    from permissions
    union all
    select session_id, 'approval', id, at, (jsonb_build_object('revision', revision, 'report', report_hash, 'base', base_commit,
        'user', user_id, 'name', user_name, 'scope', scope, 'message', message_ts, 'at', (extract(epoch from at) * 1000000)::bigint)
        || case when permission_id is null then '{}' else jsonb_build_object('permission', permission_id) end)::text
    from approvals
    union all
    select session_id, 'allowance', id, asked_at, (jsonb_build_object('approval', approval_id, 'tree', tree, 'names', names,
        'user', user_id, 'name', user_name, 'message', message_ts, 'at', (extract(epoch from allowed_at) * 1000000)::bigint)
        || case when permission_id is null then '{}' else jsonb_build_object('permission', permission_id) end)::text
    from allowances
    union all
    select session_id, 'removal', hash, at, jsonb_build_object('approval', approval_id, 'with', with_tree, 'without', without_tree,
        'hunks', encode(sha256(convert_to(hunks::text, 'UTF8')), 'hex'), 'user', user_id, 'name', user_name, 'message', message_ts,
        'permission', permission_id, 'at', (extract(epoch from allowed_at) * 1000000)::bigint)::text
    from removals
    union all
    select session_id, 'push', commit_hash, at, jsonb_build_object('tree', tree, 'base', base_commit, 'branch', branch,
        'approval', approval_id, 'report', report_hash, 'state', state, 'reason', reason, 'at', (extract(epoch from at) * 1000000)::bigint)::text
    from pushes;
