-- +goose Up

-- What each agent's conversation took of models: of the orchestrator's (task 0), a task's, or an
-- inquiry's (negative). Sessions from before have less here than in sessions.spent_usd.
create table agent_usage (
    session_id text not null references sessions (id),
    task_id    bigint not null,
    calls      int not null default 0,
    input      bigint not null default 0, -- tokens read, those from a cache included
    cached     bigint not null default 0,
    output     bigint not null default 0,
    usd        double precision not null default 0,
    primary key (session_id, task_id)
);
