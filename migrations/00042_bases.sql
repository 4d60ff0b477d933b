-- +goose Up

-- The branch or tag that a session's work starts from, if it is not the repository's base.
alter table sessions add column base_branch text not null default '';

-- The newest revision that is about another repository or branch than the session is now: it, and what is older,
-- cannot be approved, even if the commit is the same.
alter table sessions add column voided int not null default 0;
