-- +goose Up

-- The revision under whose approval a task was delegated. A later plan has tasks with the same numbers.
alter table tasks add column revision int not null default 0;

-- Of a task from before, the newest revision whose approval its worker had read.
update tasks k set revision = coalesce(
    (select max(a.revision) from approvals a join inbox i on i.session_id = a.session_id and i.message_ts = a.message_ts
        where a.session_id = k.session_id and i.id <= k.seen),
    (select max(a.revision) from approvals a where a.session_id = k.session_id),
    0);
