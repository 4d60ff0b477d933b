-- +goose Up

-- The number of a command among those of its session, by which agents name it in reports; 0 for commands from before
-- this migration. Checks are numbered with the commands; their command is empty.
alter table commands add column number int not null default 0;
