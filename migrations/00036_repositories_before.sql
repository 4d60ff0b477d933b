-- +goose Up

-- The repositories that a session was about before its present one.
alter table sessions add column repositories_before text[] not null default '{}';

-- Of a choice from before, the line in the thread says which one it replaced.
update sessions s set repositories_before = b.names from (
    select session_id, array_agg(distinct substring(text from ' chose the repository \S+ instead of (\S+)\.$')) as names
    from lines where text ~ ' chose the repository \S+ instead of \S+\.$' group by session_id) b
where b.session_id = s.id;
