-- +goose Up

-- A sign that the bot is at work on what somebody wrote or pressed: a message that is deleted when the answer is there.
-- sign is its line, and ends is the key of the sign that a row deletes. Neither is a line of the session.
alter table outbox
    add column sign json,
    add column ends text;
create index outbox_signs on outbox (session_id) where sign is not null;
create unique index outbox_ends on outbox (ends) where ends is not null;
