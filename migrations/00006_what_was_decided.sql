-- +goose Up

-- A push names the report that its approval is of, and cannot be of another approval,
-- another base or another report than that approval is.
alter table pushes add column report_hash text;
update pushes p set report_hash = a.report_hash from approvals a where a.id = p.approval_id;
alter table approvals add constraint approvals_as_named unique (id, session_id, base_commit, report_hash);
alter table pushes add constraint pushes_as_approved foreign key (approval_id, session_id, base_commit, report_hash)
    references approvals (id, session_id, base_commit, report_hash) not valid;

-- A change that decides more than what the code does (a build's steps, who reviews, what is
-- installed) needs a word of its own, on exactly these files. Without user_id it was asked for.
create table allowances (
    id          text primary key,
    session_id  text not null references sessions (id),
    approval_id text not null references approvals (id),
    tree        text not null,
    names       text not null,
    asked_at    timestamptz not null default now(),
    user_id     text not null default '',
    user_name   text not null default '',
    message_ts  text not null default '',
    allowed_at  timestamptz,
    unique (session_id, approval_id, tree)
);

-- What each row of those tables says that must not be changed afterwards.
create view audited as
    select session_id, 'decision' as what, id::text as name, at, jsonb_build_object('what', what, 'allowed', allowed, 'reason', reason,
        'user', user_id, 'message', message_ts, 'revision', revision, 'at', (extract(epoch from at) * 1000000)::bigint)::text as content
    from decisions
    union all
    select session_id, 'report', revision::text, at, jsonb_build_object('kind', kind, 'hash', hash, 'base', base_commit,
        'text', encode(sha256(convert_to(text, 'UTF8')), 'hex'), 'at', (extract(epoch from at) * 1000000)::bigint)::text
    from reports
    union all
    select session_id, 'approval', id, at, jsonb_build_object('revision', revision, 'report', report_hash, 'base', base_commit,
        'user', user_id, 'name', user_name, 'scope', scope, 'message', message_ts, 'at', (extract(epoch from at) * 1000000)::bigint)::text
    from approvals
    union all
    select session_id, 'allowance', id, asked_at, jsonb_build_object('approval', approval_id, 'tree', tree, 'names', names,
        'user', user_id, 'name', user_name, 'message', message_ts, 'at', (extract(epoch from allowed_at) * 1000000)::bigint)::text
    from allowances
    union all
    select session_id, 'push', commit_hash, at, jsonb_build_object('tree', tree, 'base', base_commit, 'branch', branch,
        'approval', approval_id, 'report', report_hash, 'state', state, 'reason', reason, 'at', (extract(epoch from at) * 1000000)::bigint)::text
    from pushes;

-- The same once more, in the order in which it was recorded: each row's hash is of what it
-- says and of the hash before it in its session. The session has the last one.
create table audit (
    session_id text not null references sessions (id),
    seq        int not null,
    what       text not null,
    name       text not null,
    content    text not null,
    hash       text not null,
    primary key (session_id, seq)
);
alter table sessions
    add column audited    int not null default 0,
    add column audit_head text not null default '';

-- What is there already is recorded as it stands now.
-- +goose StatementBegin
do $$
declare
    v record;
    of text := '';
    n int := 0;
    last text := '';
begin
    for v in select * from audited order by session_id, at, what, name loop
        if v.session_id <> of then
            update sessions set audited = n, audit_head = last where id = of;
            of := v.session_id; n := 0; last := v.session_id;
        end if;
        n := n + 1;
        last := encode(sha256(convert_to(concat_ws(E'\n', last, n, v.what, v.name, v.content), 'UTF8')), 'hex');
        insert into audit (session_id, seq, what, name, content, hash) values (of, n, v.what, v.name, v.content, last);
    end loop;
    update sessions set audited = n, audit_head = last where id = of;
end $$;
-- +goose StatementEnd
