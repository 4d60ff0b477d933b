-- +goose Up

-- The question whether the words of a private thread may be read by everybody who can read the repository, asked
-- before a push. It holds the words that the thread was shown, so that exactly these are pushed. The newest answer holds
-- for later pushes of the session to that repository.
create table disclosures (
    id            text primary key,
    session_id    text not null references sessions (id),
    repository    text not null,
    tree          text not null,
    title         text not null default '', -- as they are pushed if that is the answer
    summary       text not null default '',
    shown         text not null,            -- the question
    choice        text not null default '' check (choice in ('', 'shown', 'neutral')),
    permission_id text,
    permitted     text not null default 'push' check (permitted = 'push'),
    user_id       text,
    user_name     text not null default '',
    message_ts    text,
    asked_at      timestamptz not null default now(),
    chosen_at     timestamptz,
    constraint disclosures_have_permissions check (permission_id is not null or choice = ''),
    constraint disclosures_by_permission foreign key (permission_id, session_id, user_id, message_ts)
        references permissions (id, session_id, user_id, message_ts),
    constraint disclosures_as_permitted foreign key (permission_id, permitted) references permissions (id, what)
);
create index disclosures_of_session on disclosures (session_id, repository, asked_at);
