-- +goose Up

-- A day's use is commands and what they print, too. What its sessions take of the disk is in
-- their own rows.
alter table spending
    add column commands bigint not null default 0,
    add column printed  bigint not null default 0;
