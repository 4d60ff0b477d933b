-- +goose Up

-- The change that a backport branch held before this one; empty for backports that were asked for again before this
-- migration.
alter table backports add column earlier_base text not null default '', add column earlier_pushed text not null default '';
