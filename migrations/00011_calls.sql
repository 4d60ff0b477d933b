-- +goose Up

-- The people and user groups whom a line calls, by their ids. What a line's text says calls nobody.
alter table lines add column calls text[] not null default '{}';
