-- +goose Up

-- Of the tokens: those of models whose price was not known when they answered, so that their cost is not known. Before,
-- a session that cost nothing had no price for any of its models.
alter table sessions add column unpriced bigint not null default 0;
update sessions set unpriced = tokens where spent_usd = 0 and tokens > 0;
alter table spending add column unpriced bigint not null default 0;
update spending set unpriced = tokens where usd = 0 and tokens > 0;

-- What the session had used of models when its run began and when it ended. Null: of a run from before.
alter table cards add column began_tokens bigint;
alter table cards add column ended_tokens bigint;
alter table cards add column began_unpriced bigint;
alter table cards add column ended_unpriced bigint;
