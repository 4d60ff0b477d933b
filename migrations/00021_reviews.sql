-- +goose Up

-- What an inquiry cost, in models: what a review before a push cost is told.
alter table inquiries add column usd double precision not null default 0;
