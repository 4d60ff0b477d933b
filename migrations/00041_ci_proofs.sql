-- +goose Up

-- What CI is offered, or allowed, to prove where nothing can be proven on this machine: 'on' by the checks of the
-- pushed commit, 'red' also by those of a branch with the new tests alone.
alter table allowances add column ci text not null default '' check (ci in ('', 'on', 'red'));

-- A pushed commit whose checks at the git host are its proof. The commit is the natural key. The allowance that CI
-- proves it is checked when the row is written. The branch with the new tests alone is kept here, too: its state is
-- written before it is pushed, and before it is deleted.
create table ci_proofs (
    repository   text not null, -- its name in the configuration
    commit_hash  text not null,
    session_id   text not null references sessions (id),
    allowance_id text not null references allowances (id),
    branch       text not null,
    base_commit  text not null,
    base         text not null, -- the branch that the base is of
    state        text not null default 'waiting' check (state in ('waiting', 'passed', 'failed', 'unproven', 'stopped')),
    reason       text not null default '', -- how it ended, in words
    seen         text not null default '', -- the checks as they were seen last
    seen_at      timestamptz not null default now(), -- since when they are so
    tests        text[] not null default '{}', -- the paths of the new tests
    tests_branch text not null default '', -- empty: none is allowed
    tests_commit text not null default '',
    tests_state  text not null default 'none' check (tests_state in ('none', 'asked', 'intended', 'pushed', 'refused',
        'unwanted', 'deleted', 'moved')),
    tests_reason text not null default '', -- why it was refused
    tests_at     timestamptz not null default now(), -- when it came into that state
    at           timestamptz not null default now(),
    primary key (repository, commit_hash)
);
create index ci_proofs_session on ci_proofs (session_id);

-- With what CI proves.
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
        || case when expectations = '' then '{}' else jsonb_build_object('expectations', expectations) end
        || case when ci = '' then '{}' else jsonb_build_object('ci', ci) end)::text
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
    from objections
    union all
    select session_id, 'ci proof', commit_hash, at, jsonb_build_object('repository', repository, 'branch', branch, 'base', base_commit,
        'allowance', allowance_id, 'state', state, 'reason', reason, 'tests', tests_branch, 'tests_commit', tests_commit,
        'tests_state', tests_state, 'at', (extract(epoch from at) * 1000000)::bigint)::text
    from ci_proofs;
