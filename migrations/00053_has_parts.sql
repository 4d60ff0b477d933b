-- +goose Up

-- Whoever stores a message reads this with the row that it locks. Whether there are parts would be seen as it was
-- before the lock, and the messages that came while one began would miss it.
alter table sessions add column has_parts boolean not null default false;
update sessions s set has_parts = true where exists (select 1 from sessions part where part.part_of = s.id);
