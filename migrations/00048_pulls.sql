-- +goose Up

-- The pull request of somebody else that a session is about: its branch is the session's base.
alter table sessions add column pull bigint not null default 0;

-- The branch into which it is to be merged.
alter table sessions add column pull_into text not null default '';
