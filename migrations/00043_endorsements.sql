-- +goose Up

-- One person's word for a subject: a revision, the files of a push, a release that a pushed change is brought to, or
-- code that was taken out. As many distinct people as the repository demands make an approval or an allowance.
-- `subject` is empty for the revision itself, else what the permission is of: 'tree HASH', 'backport BRANCH COMMIT',
-- 'removal HASH'. A word that has ended counts no more, and never again.
create table endorsements (
    permission_id text not null,
    session_id    text not null references sessions (id),
    revision      int  not null,
    report_hash   text not null,
    base_commit   text not null,
    subject       text not null default '',
    user_id       text not null,
    user_name     text not null default '',
    credit        text not null default '',
    scope         text not null default '',
    message_ts    text not null,
    at            timestamptz not null default now(),
    ended         text not null default '' check (ended in ('', 'taken back', 'edited', 'deleted', 'replaced', 'used', 'may not approve')),
    ended_at      timestamptz,
    carried       boolean not null default false, -- it is from before this table, and was audited as its approval
    primary key (permission_id, subject),
    foreign key (session_id, revision) references reports (session_id, revision),
    constraint endorsements_by_permission foreign key (permission_id, session_id, user_id, message_ts)
        references permissions (id, session_id, user_id, message_ts)
);
-- A second word of the same person counts once.
create unique index endorsements_once on endorsements (session_id, revision, subject, user_id) where ended = '';
create index endorsements_by_message on endorsements (message_ts);

-- How many distinct people have to approve.
alter table approvals add column needed int not null default 1 check (needed > 0);

-- Why more people have to allow the files, beside the other reasons: too few of those who approved may still approve,
-- or a group has to be among them.
alter table allowances
    add column missing text not null default '',
    add column files   text[] not null default '{}'; -- of these files, for which a group has to be among the approvers
drop index allowances_once;
create unique index allowances_once on allowances (session_id, approval_id, tree, (unproven <> ''), objections,
    md5(expectations), md5(missing));

-- Who counted when the push began.
alter table pushes add column approved_by text[] not null default '{}';

insert into endorsements (permission_id, session_id, revision, report_hash, base_commit, user_id, user_name, credit, scope,
        message_ts, at, carried)
    select permission_id, session_id, revision, report_hash, base_commit, user_id, user_name, credit, scope, message_ts, at,
        true
    from approvals where permission_id is not null;
insert into endorsements (permission_id, session_id, revision, report_hash, base_commit, subject, user_id, user_name,
        message_ts, at, carried)
    select w.permission_id, w.session_id, a.revision, a.report_hash, a.base_commit, 'tree ' || w.tree, w.user_id, w.user_name,
        w.message_ts, w.allowed_at, true
    from allowances w join approvals a on a.id = w.approval_id where w.permission_id is not null and w.allowed_at is not null
    on conflict do nothing;

-- A word is of the report as it was shown, and its permission is one to approve that revision or to allow a push. What
-- has ended stays so.
-- +goose StatementBegin
create function endorsement_is_permitted() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        if old.ended <> '' or (new.permission_id, new.session_id, new.revision, new.report_hash, new.base_commit, new.subject, new.user_id,
                new.message_ts) is distinct from (old.permission_id, old.session_id, old.revision, old.report_hash, old.base_commit,
                old.subject, old.user_id, old.message_ts) then
            raise exception 'the word of % for revision % cannot be changed', old.user_id, old.revision
                using errcode = 'check_violation', constraint = 'endorsements_stay';
        end if;
    elsif not exists (select 1 from permissions p where p.id = new.permission_id and case
            when new.subject = '' then p.what = 'put_back'
                or p.revision = new.revision and p.what in ('report', 'plan', 'understanding', 'request')
            when new.subject like 'tree %' then p.what = 'push'
            when new.subject like 'backport %' then p.what = 'backport'
            when new.subject like 'removal %' then p.what = 'put_back'
            else false end) then
        raise exception 'permission % is none of revision %: %', new.permission_id, new.revision, new.subject
            using errcode = 'check_violation', constraint = 'endorsements_as_permitted';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger endorsements_as_permitted before insert or update on endorsements
    for each row execute function endorsement_is_permitted();

-- How many distinct people's words for a subject of a revision count, of the report with that hash.
create function endorsers(of_session text, of_revision int, of_hash text, variadic subjects text[]) returns bigint
    language sql stable as $$
    select count(distinct user_id) from endorsements where session_id = of_session and revision = of_revision
        and report_hash = of_hash and subject = any(subjects) and ended = '' $$;

-- An approval, and what is allowed for its files beside an objection, have the words of as many people as are needed.
-- Where one is enough, the permission that they name is that word.
-- +goose StatementBegin
create function approval_has_endorsers() returns trigger language plpgsql as $$
begin
    if new.needed > 1 and endorsers(new.session_id, new.revision, new.report_hash, '') < new.needed then
        raise exception 'revision % of session % needs % approvers', new.revision, new.session_id, new.needed
            using errcode = 'check_violation', constraint = 'approvals_have_endorsers';
    end if;
    return new;
end $$;
create function allowance_has_endorsers() returns trigger language plpgsql as $$
declare a approvals;
begin
    select * into a from approvals where id = new.approval_id;
    if new.user_id <> '' and a.needed > 1 and (new.paths <> '' or new.unproven <> '' or new.expectations <> '')
            and endorsers(new.session_id, a.revision, a.report_hash, 'tree ' || new.tree) < a.needed then
        raise exception 'allowance % needs % approvers', new.id, a.needed
            using errcode = 'check_violation', constraint = 'allowances_have_endorsers';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger approvals_have_endorsers before insert or update on approvals
    for each row execute function approval_has_endorsers();
create trigger allowances_have_endorsers before insert or update on allowances
    for each row execute function allowance_has_endorsers();

-- An objection may come before enough people have approved the revision: then it is of that revision, and becomes one to
-- its approval.
alter table objections alter column approval_id drop not null;
alter table objections add column revision int;
alter table objections add constraint objections_of_something check (approval_id is not null or revision is not null);

-- With the words of each person, and who counted at a push.
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
        || case when permission_id is null then '{}' else jsonb_build_object('permission', permission_id) end
        || case when needed = 1 then '{}' else jsonb_build_object('needed', needed) end)::text
    from approvals
    union all
    select session_id, 'endorsement', btrim(permission_id || ' ' || subject), at, jsonb_build_object('revision', revision, 'report', report_hash,
        'base', base_commit, 'subject', subject, 'user', user_id, 'name', user_name, 'scope', scope, 'message', message_ts,
        'ended', ended, 'at', (extract(epoch from at) * 1000000)::bigint)::text
    from endorsements where not carried or ended <> ''
    union all
    select session_id, 'allowance', id, asked_at, (jsonb_build_object('approval', approval_id, 'tree', tree, 'names', names,
        'user', user_id, 'name', user_name, 'message', message_ts, 'at', (extract(epoch from allowed_at) * 1000000)::bigint)
        || case when permission_id is null then '{}' else jsonb_build_object('permission', permission_id) end
        || case when unproven = '' then '{}' else jsonb_build_object('unproven', unproven) end
        || case when objections = '{}' then '{}' else jsonb_build_object('objections', objections) end
        || case when expectations = '' then '{}' else jsonb_build_object('expectations', expectations) end
        || case when ci = '' then '{}' else jsonb_build_object('ci', ci) end
        || case when missing = '' then '{}' else jsonb_build_object('missing', missing) end)::text
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
        || case when expectations = '' then '{}' else jsonb_build_object('expectations', expectations) end
        || case when approved_by = '{}' then '{}' else jsonb_build_object('approved_by', approved_by) end)::text
    from pushes
    union all
    select session_id, 'backport', branch, asked_at, jsonb_build_object('repository', repository, 'release', release, 'onto', onto, 'of', pushed,
        'base', base_commit, 'commit', commit_hash, 'tree', tree, 'state', state, 'reason', reason, 'user', user_id, 'name', user_name,
        'message', message_ts, 'permission', permission_id, 'at', (extract(epoch from asked_at) * 1000000)::bigint)::text
    from backports
    union all
    select session_id, 'objection', id::text, at, (jsonb_build_object('approval', approval_id, 'row', message_id, 'message', message_ts, 'user', user_id,
        'name', user_name, 'how', how, 'words', words, 'settled', settled, 'allowance', allowance_id, 'at', (extract(epoch from at) * 1000000)::bigint)
        || case when revision is null then '{}' else jsonb_build_object('revision', revision) end)::text
    from objections
    union all
    select session_id, 'ci proof', commit_hash, at, jsonb_build_object('repository', repository, 'branch', branch, 'base', base_commit,
        'allowance', allowance_id, 'state', state, 'reason', reason, 'tests', tests_branch, 'tests_commit', tests_commit,
        'tests_state', tests_state, 'at', (extract(epoch from at) * 1000000)::bigint)::text
    from ci_proofs;
