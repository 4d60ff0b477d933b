-- +goose Up

-- What was pushed, brought to a release on a branch of its own. The branch is the natural key: the
-- row stands before anything is run or pushed, so that asking twice is one branch. It names the
-- permission that asked for it, which is of that kind and of a revision that the thread was shown.
alter table permissions drop constraint permissions_what_check;
alter table permissions add constraint permissions_what_check
    check (what in ('report', 'plan', 'understanding', 'request', 'resume', 'adopt', 'push', 'limit', 'put_back', 'backport'));
alter table permissions add constraint permissions_of_kind unique (id, what);

create table backports (
    repository    text not null, -- its name in the configuration
    branch        text not null, -- that is made
    session_id    text not null references sessions (id),
    wanted        text not null, -- the release, as somebody named it
    pushed        text not null, -- the commit that has the change
    base_commit   text not null, -- and the one that it was made on
    revision      int not null,  -- that was approved for it
    permission_id text not null,
    permitted     text not null default 'backport' check (permitted = 'backport'),
    user_id       text not null,
    user_name     text not null,
    credit        text not null default '', -- how a commit names that person
    message_ts    text not null,
    asked_at      timestamptz not null default now(),
    state         text not null default 'asked' check (state in ('asked', 'intended', 'pushed', 'refused', 'stopped')),
    release       text not null default '', -- the branch that was meant
    onto          text not null default '', -- its commit
    earlier       text not null default '', -- what the branch had before this
    commit_hash   text not null default '', -- from 'intended' on
    tree          text not null default '',
    told          jsonb,                    -- what is said when it is pushed
    reason        text not null default '', -- why it was refused
    primary key (repository, branch),
    constraint backports_by_permission foreign key (permission_id, session_id, user_id, message_ts, revision)
        references permissions (id, session_id, user_id, message_ts, revision),
    constraint backports_as_permitted foreign key (permission_id, permitted) references permissions (id, what)
);
create index backports_session on backports (session_id);

-- With backports.
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
        || case when unproven = '' then '{}' else jsonb_build_object('unproven', unproven) end)::text
    from allowances
    union all
    select session_id, 'removal', hash, at, jsonb_build_object('approval', approval_id, 'with', with_tree, 'without', without_tree,
        'hunks', encode(sha256(convert_to(hunks::text, 'UTF8')), 'hex'), 'user', user_id, 'name', user_name, 'message', message_ts,
        'permission', permission_id, 'at', (extract(epoch from allowed_at) * 1000000)::bigint)::text
    from removals
    union all
    select session_id, 'push', commit_hash, at, (jsonb_build_object('tree', tree, 'base', base_commit, 'branch', branch,
        'approval', approval_id, 'report', report_hash, 'state', state, 'reason', reason, 'at', (extract(epoch from at) * 1000000)::bigint)
        || case when unproven = '' then '{}' else jsonb_build_object('unproven', unproven) end)::text
    from pushes
    union all
    select session_id, 'backport', branch, asked_at, jsonb_build_object('repository', repository, 'release', release, 'onto', onto, 'of', pushed,
        'base', base_commit, 'commit', commit_hash, 'tree', tree, 'state', state, 'reason', reason, 'user', user_id, 'name', user_name,
        'message', message_ts, 'permission', permission_id, 'at', (extract(epoch from asked_at) * 1000000)::bigint)::text
    from backports;
