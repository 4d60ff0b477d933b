-- +goose Up

-- One person's yes, made from one message or one click of that person. Whatever lets work
-- begin, go on or go out names one: an approval, a word on a push, more of a limit.
create table permissions (
    id         text primary key,
    session_id text not null references sessions (id),
    what       text not null check (what in ('report', 'plan', 'understanding', 'request', 'resume', 'adopt', 'push', 'limit')),
    revision   int,             -- that the thread was shown; null: none was yet
    message_id bigint not null, -- the row of the inbox that it is made from
    message_ts text not null,
    user_id    text not null,
    user_name  text not null default '',
    -- Rows of the inbox: what a request is made of, or whose words were adopted.
    rests_on   bigint[] not null default '{}',
    at         timestamptz not null default now(),
    foreign key (session_id, revision) references reports (session_id, revision),
    unique (message_id, what), -- one message is one permission of a kind, once
    constraint permissions_as_named unique (id, session_id, user_id, message_ts),
    constraint permissions_of_revision unique (id, session_id, user_id, message_ts, revision)
);
create index permissions_of_session on permissions (session_id);

-- A permission is refused where its person did not write its message or make its click.
-- No foreign key could say so: messages are cleaned away before what was decided.
-- +goose StatementBegin
create function permission_has_author() returns trigger language plpgsql as $$
begin
    if not exists (select 1 from inbox m where m.id = new.message_id and m.session_id = new.session_id and m.message_ts = new.message_ts
            and m.user_id = new.user_id and (m.kind in ('mention', 'reply', 'action', 'form') or m.kind = 'sent' and new.what = 'resume')) then
        raise exception 'permission %: % did not write message % of session %', new.id, new.user_id, new.message_id, new.session_id
            using errcode = 'check_violation', constraint = 'permissions_have_authors';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger permissions_have_authors before insert or update on permissions for each row execute function permission_has_author();

-- An approval is of the person, the message and the revision that its permission is of.
alter table approvals
    add column permission_id text,
    add column inherited     boolean not null default false;
-- Approvals from before count where their message is their person's own. One that was given
-- by asking named the thread's root: it counts where nobody else wrote for the agents.
update approvals a set inherited = true from sessions s
    where s.id = a.session_id and exists (select 1 from inbox m where m.session_id = a.session_id and m.message_ts = a.message_ts and m.user_id = a.user_id
            and m.kind in ('mention', 'reply', 'action', 'form'))
        and (a.message_ts <> split_part(s.thread_ts, ' ', 1) or not exists (select 1 from inbox o where o.session_id = a.session_id and o.for_agents
            and o.kind in ('mention', 'reply', 'edit', 'sent') and (o.user_id <> a.user_id or o.kind = 'sent')));
alter table approvals add constraint approvals_have_permissions check (permission_id is not null) not valid;
alter table approvals add constraint approvals_by_permission foreign key (permission_id, session_id, user_id, message_ts, revision)
    references permissions (id, session_id, user_id, message_ts, revision) not valid;

alter table allowances add column permission_id text;
alter table allowances add constraint allowances_have_permissions check (user_id = '' or permission_id is not null) not valid;
alter table allowances add constraint allowances_by_permission foreign key (permission_id, session_id, user_id, message_ts)
    references permissions (id, session_id, user_id, message_ts) not valid;

alter table extensions add column permission_id text;
alter table extensions add constraint extensions_have_permissions check (permission_id is not null) not valid;
alter table extensions add constraint extensions_by_permission foreign key (permission_id, session_id, user_id, message_ts)
    references permissions (id, session_id, user_id, message_ts) not valid;

-- `rested` and `delivered` are the newest rows of the inbox that agents had been shown when
-- the thread last rested (a push, a stop, an answer), and when a push last went out. `halted`
-- is the ts of the stop after which nobody who may approve has said "go on".
alter table sessions
    add column rested    bigint not null default 0,
    add column delivered bigint not null default 0,
    add column halted    text not null default '';
update sessions s set delivered = coalesce((select max(m.id) from inbox m where m.session_id = s.id
    and m.at <= (select max(p.at) from pushes p where p.session_id = s.id and p.state = 'pushed')), 0);
update sessions set rested = case when phase in ('answered', 'done', 'stopped') then greatest(seen, delivered) else delivered end,
    halted = case when phase = 'stopped' then '0' else '' end;

-- `held` are words that agents are not shown until somebody who may approve passes them on;
-- `answers` are words that answer a question of the bot's, and so ask for nothing.
alter table inbox
    add column held    boolean not null default false,
    add column answers boolean not null default false;

-- Who asked for what a revision says, for where somebody else has to approve it; null of a
-- revision from before this was kept.
alter table reports add column asked_by text[];

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
    select session_id, 'push', commit_hash, at, jsonb_build_object('tree', tree, 'base', base_commit, 'branch', branch,
        'approval', approval_id, 'report', report_hash, 'state', state, 'reason', reason, 'at', (extract(epoch from at) * 1000000)::bigint)::text
    from pushes;
