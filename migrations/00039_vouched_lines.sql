-- +goose Up

-- The lines of a text, counted from 0, that the program itself vouches for: a status, a proof, a push, an approval.
-- The others are a model's words, or quote people and the repository. Nothing is vouched for in what was said before.
alter table lines add column vouched int[] not null default '{}';
