-- +goose Up

-- The message in a channel that tells its people how to use the bot. The row stands before the message is posted
-- and pinned. n counts how often somebody asked for it anew.
create table guides (
    channel   text primary key,
    n         int not null default 1,
    asked_by  text not null,
    at        timestamptz not null default now(),
    tried_at  timestamptz, -- of the step that is under way
    posting   timestamptz, -- when the message was first tried
    ts        text,
    pinned_at timestamptz,
    refused   text         -- why Slack will never take the message, or the pin
);
