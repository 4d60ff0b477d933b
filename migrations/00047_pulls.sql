-- +goose Up

-- The pull request of somebody else that a session is about: its branch is the session's base.
alter table sessions add column pull bigint not null default 0;

-- The branch into which it is to be merged.
alter table sessions add column pull_into text not null default '';

-- A backport that goes to the wanted branch itself, which is that of somebody else's pull request. Its branch is
-- then the push's own branch, a colon, and the wanted one.
alter table backports add column direct boolean not null default false;
