-- +goose Up

-- A request whose change takes several repositories has a session for each of them, all in one thread: the
-- thread's own session, and a part for each further repository. The thread_ts of a part is followed by the
-- name of its repository.
alter table sessions
    add part_of    text references sessions (id) on delete set null, -- the thread's own session; null: this is it
    add part_after text not null default ''; -- ts of the newest message in the thread before the part began
create index sessions_part_of on sessions (part_of) where part_of is not null;
