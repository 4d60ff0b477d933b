-- +goose Up

-- What a person objected to while approved work was under way. Nothing is pushed under that approval before the
-- objection is taken back by its person, or overruled by an allowance that names it and is for the files of the push.
create table objections (
    id           bigint generated always as identity primary key,
    session_id   text not null references sessions (id),
    approval_id  text not null references approvals (id),
    message_id   bigint not null, -- row of the inbox: the message, reaction, edit or deletion
    message_ts   text not null,   -- of the message that objects, was reacted to, edited or deleted
    user_id      text not null,
    user_name    text not null default '',
    how          text not null check (how in ('message', 'reaction', 'edit', 'deletion')),
    words        text not null default '',
    at           timestamptz not null default now(),
    settled      text not null default '' check (settled in ('', 'withdrawn', 'overruled')),
    settled_at   timestamptz,
    allowance_id text references allowances (id),
    unique (session_id, message_id, how),
    -- An approval that was edited or deleted is void: its author cannot bring it back by another edit.
    constraint void_stays_void check (settled <> 'withdrawn' or how in ('message', 'reaction')),
    constraint overruled_by_allowance check (settled <> 'overruled' or allowance_id is not null)
);
create index objections_of_approval on objections (approval_id);

-- One question before a push names all its reasons: the paths that decide more than the code, that nothing is
-- proven, the objections, and the expectations of tests that changed. What it names is what an answer allows.
alter table allowances
    add column paths        text not null default '',
    add column objections   bigint[] not null default '{}',
    add column expectations text not null default '';
update allowances set paths = names where unproven = '';
drop index allowances_once;
create unique index allowances_once on allowances (session_id, approval_id, tree, (unproven <> ''), objections, md5(expectations));
alter table pushes add column expectations text not null default '';

-- What one person alone is shown, once for each key. It is no reaction, but posted beside the lines like one.
alter table outbox
    add column ephemeral_to text not null default '',
    add column ephemeral    text not null default '';

-- The event of a reaction names only the message: its session is found by it.
create index outbox_by_ts on outbox (ts) where ts is not null;
create index approvals_by_message on approvals (message_ts);

-- With objections, and with what else an allowance names.
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
        || case when permission_id is null then '{}' else jsonb_build_object('permission', permission_id) end
        || case when unproven = '' then '{}' else jsonb_build_object('unproven', unproven) end
        || case when objections = '{}' then '{}' else jsonb_build_object('objections', objections) end
        || case when expectations = '' then '{}' else jsonb_build_object('expectations', expectations) end)::text
    from allowances
    union all
    select session_id, 'removal', hash, at, jsonb_build_object('approval', approval_id, 'with', with_tree, 'without', without_tree,
        'hunks', encode(sha256(convert_to(hunks::text, 'UTF8')), 'hex'), 'user', user_id, 'name', user_name, 'message', message_ts,
        'permission', permission_id, 'at', (extract(epoch from allowed_at) * 1000000)::bigint)::text
    from removals
    union all
    select session_id, 'push', commit_hash, at, (jsonb_build_object('tree', tree, 'base', base_commit, 'branch', branch,
        'approval', approval_id, 'report', report_hash, 'state', state, 'reason', reason, 'at', (extract(epoch from at) * 1000000)::bigint)
        || case when unproven = '' then '{}' else jsonb_build_object('unproven', unproven) end
        || case when expectations = '' then '{}' else jsonb_build_object('expectations', expectations) end)::text
    from pushes
    union all
    select session_id, 'backport', branch, asked_at, jsonb_build_object('repository', repository, 'release', release, 'onto', onto, 'of', pushed,
        'base', base_commit, 'commit', commit_hash, 'tree', tree, 'state', state, 'reason', reason, 'user', user_id, 'name', user_name,
        'message', message_ts, 'permission', permission_id, 'at', (extract(epoch from asked_at) * 1000000)::bigint)::text
    from backports
    union all
    select session_id, 'objection', id::text, at, jsonb_build_object('approval', approval_id, 'row', message_id, 'message', message_ts, 'user', user_id,
        'name', user_name, 'how', how, 'words', words, 'settled', settled, 'allowance', allowance_id, 'at', (extract(epoch from at) * 1000000)::bigint)::text
    from objections;
