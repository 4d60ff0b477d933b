-- +goose Up

-- The branch or tag that a session's work starts from, if it is not the repository's base.
alter table sessions add column base_branch text not null default '';
