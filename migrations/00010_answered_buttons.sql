-- +goose Up

-- A message whose buttons were answered is written again without them, once: `settled` is
-- what stands there instead, and the row with `rewrites` (a key of this table) does it.
alter table outbox
    add column settled  text,
    add column rewrites text;
create index outbox_unsettled on outbox (session_id) where buttons is not null and settled is null;
