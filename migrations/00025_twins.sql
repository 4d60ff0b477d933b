-- +goose Up

-- What a report says, as its words are searched: later reports of the same repository are
-- compared with it.
create table report_words (
    session_id text primary key references sessions (id),
    repository text not null,
    words      text not null,
    lexemes    tsvector not null generated always as (to_tsvector('english', words)) stored
);
create index report_words_of_repository on report_words (repository);
insert into report_words (session_id, repository, words)
    select s.id, s.repository, left(s.title || E'\n' || coalesce(string_agg(left(i.text, 2000), E'\n' order by i.id), ''), 4000)
    from sessions s left join inbox i on i.session_id = s.id and i.for_agents and i.kind in ('mention', 'reply', 'sent', 'earlier')
    where s.cleared_at is null and s.repository <> '' group by s.id;

-- Sessions that a thread was told of, since they seem to be about the same. `joined_by` is who
-- said so: work goes on in the other thread from then on.
create table twins (
    session_id text not null references sessions (id),
    twin       text not null references sessions (id),
    score      real not null,
    at         timestamptz not null default now(),
    joined_by  text not null default '',
    joined_at  timestamptz,
    primary key (session_id, twin)
);
create index twins_of on twins (twin);
