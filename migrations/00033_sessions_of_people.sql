-- +goose Up

-- An App Home shows the newest sessions of a person and of channels, and those that wait for
-- people: what was done years ago costs nothing then.
create index sessions_of_requester on sessions (requester, updated_at desc) where cleared_at is null;
create index sessions_of_channel on sessions (channel, updated_at desc) where cleared_at is null;
create index sessions_waiting on sessions (updated_at desc)
    where cleared_at is null and not open and phase not in ('answered', 'done', 'stopped', 'failed');

-- A report is compared with the newest ones of its repository.
create index sessions_of_repository on sessions (repository, created_at desc) where cleared_at is null;
