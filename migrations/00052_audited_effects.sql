-- +goose Up

-- How many words a person wrote for an amendment, of which an option that was chosen is one: the text of an answer has
-- the agent's question, too. Null: as many as the text has.
alter table amendments add column own_words int;

-- Issues and comments that go out, merges of a base, and what was pushed of a private thread's words belong to the
-- audit, as pushes do. Their words are cleaned away before their records are, so the hash of the words stays.
alter table tickets add column words_hash text not null default '';
alter table disclosures add column words_hash text not null default '';

create function hash_of(words text) returns text language sql immutable as $$
    select encode(sha256(convert_to(words, 'UTF8')), 'hex') $$;

-- +goose StatementBegin
create function ticket_words_hashed() returns trigger language plpgsql as $$
begin
    if new.body <> '' then
        new.words_hash := hash_of(new.title || E'\n' || new.body);
    end if;
    return new;
end $$;
create function disclosure_words_hashed() returns trigger language plpgsql as $$
begin
    if new.shown <> '' then
        new.words_hash := hash_of(concat_ws(E'\n', new.title, new.summary, new.shown));
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger tickets_words_hashed before insert or update on tickets
    for each row execute function ticket_words_hashed();
create trigger disclosures_words_hashed before insert or update on disclosures
    for each row execute function disclosure_words_hashed();
update tickets set words_hash = words_hash;
update disclosures set words_hash = words_hash;

-- With tickets, merges and disclosures.
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
    from ci_proofs
    union all
    select session_id, 'ticket', key, at, jsonb_build_object('mark', mark, 'repository', repository, 'place', place, 'tracker', tracker,
        'issue', issue, 'revision', revision, 'words', words_hash, 'state', state, 'shown', shown, 'url', url, 'reason', reason,
        'user', user_id, 'name', user_name, 'message', message_ts, 'permission', permission_id,
        'at', (extract(epoch from at) * 1000000)::bigint)::text
    from tickets
    union all
    select session_id, 'merge', revision::text, at, jsonb_build_object('repository', repository, 'branch', branch, 'ours', ours,
        'base', base, 'theirs', theirs, 'common', common, 'files', files, 'clashes', clashes, 'state', state, 'tree', tree,
        'at', (extract(epoch from at) * 1000000)::bigint)::text
    from base_merges
    union all
    select session_id, 'disclosure', id, asked_at, jsonb_build_object('repository', repository, 'tree', tree, 'words', words_hash,
        'choice', choice, 'user', user_id, 'name', user_name, 'message', message_ts, 'permission', permission_id,
        'at', (extract(epoch from coalesce(chosen_at, asked_at)) * 1000000)::bigint)::text
    from disclosures;

-- What is there already is recorded as it stands now.
-- +goose StatementBegin
do $$
declare
    v record;
    n int;
    last text;
begin
    for v in select * from audited where what in ('ticket', 'merge', 'disclosure') order by session_id, at, what, name loop
        select audited + 1, coalesce(nullif(audit_head, ''), id) into n, last from sessions where id = v.session_id;
        last := hash_of(concat_ws(E'\n', last, n, v.what, v.name, v.content));
        insert into audit (session_id, seq, what, name, content, hash)
            values (v.session_id, n, v.what, v.name, v.content, last);
        update sessions set audited = n, audit_head = last where id = v.session_id;
    end loop;
end $$;
-- +goose StatementEnd
