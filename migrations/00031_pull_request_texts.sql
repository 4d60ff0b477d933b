-- +goose Up

-- Which commit's words the host has as a pull request's text. What was pushed later is yet to be told there.
alter table pull_requests add column worded text not null default '';
update pull_requests set worded = head where number > 0;

-- A push or a webhook came since the last look began: the next one comes soon.
alter table pull_requests add column woken boolean not null default false;
