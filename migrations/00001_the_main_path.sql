-- +goose Up

-- One thread is one session, for ever.
create table sessions (
    id          text primary key,
    team        text not null,
    channel     text not null,
    thread_ts   text not null,
    kind        text not null default '',
    phase       text not null default 'exploring',
    title       text not null default '',
    requester   text not null default '',
    repository  text not null default '',
    base_commit text not null default '',
    branch      text not null default '',
    head        text not null default '',
    revision    int not null default 0,
    -- The number of the turn that may write. Whoever begins a turn raises it; every
    -- statement of an older turn then matches no row.
    epoch       bigint not null default 0,
    -- The newest inbox row that the orchestrator's transcript holds.
    seen        bigint not null default 0,
    -- The orchestrator has something to do: a turn that finds it open goes on.
    open        boolean not null default false,
    -- A person said stop; the running turn looks here twice a second.
    stop_asked  boolean not null default false,
    -- Turns that died in a row without finishing; a session that kills its worker is given up.
    crashes     int not null default 0,
    spent_usd   double precision not null default 0,
    created_at  timestamptz not null default now(),
    updated_at  timestamptz not null default now(),
    unique (team, channel, thread_ts)
);

-- What came from Slack, once: by event, and by message since a mention arrives as two events.
create table inbox (
    id         bigint generated always as identity primary key,
    session_id text not null references sessions (id),
    event_id   text not null unique,
    kind       text not null,
    message_ts text not null,
    user_id    text not null,
    user_team  text not null default '',
    text       text not null default '',
    action_id  text not null default '',
    value      text not null default '',
    at         timestamptz not null default now(),
    -- The program has judged it: consent, stop, or words for the agents.
    handled_at timestamptz,
    for_agents boolean not null default false,
    -- What the agents are shown where that is not the text itself (an edit, a deletion).
    shown      text not null default ''
);
create unique index inbox_one_message on inbox (session_id, message_ts) where kind in ('mention', 'reply');
create index inbox_unhandled on inbox (session_id, id) where handled_at is null;

-- Everything said to and by a model, in order. Type json, not jsonb: the bytes have to
-- stay as they were, or an endpoint's prefix cache misses.
create table transcript (
    session_id text not null references sessions (id),
    task_id    bigint not null default 0,
    seq        int not null,
    body       json not null,
    at         timestamptz not null default now(),
    primary key (session_id, task_id, seq)
);

-- Everything said in the thread.
create table lines (
    id         bigint generated always as identity primary key,
    session_id text not null references sessions (id),
    agent      text not null,
    text       text not null,
    at         timestamptz not null default now()
);
create index lines_of_session on lines (session_id, id);

-- What still has to happen in Slack, and what did. The rows of one batch are one reply,
-- which carries the batch as its metadata.
create table outbox (
    id         bigint generated always as identity primary key,
    key        text not null unique,
    session_id text not null references sessions (id),
    line_id    bigint references lines (id),
    buttons    json,
    alone      boolean not null default false,
    reaction   text not null default '',
    on_ts      text not null default '',
    batch      text,
    tried_at   timestamptz,
    posted_at  timestamptz,
    ts         text,
    refused    text
);
create index outbox_open on outbox (session_id, id) where posted_at is null;
create index outbox_batch on outbox (batch) where batch is not null;

-- Each root cause or Diagnosis Report that was shown.
create table reports (
    session_id  text not null references sessions (id),
    revision    int not null,
    kind        text not null,
    body        json not null,
    text        text not null,
    hash        text not null,
    base_commit text not null,
    at          timestamptz not null default now(),
    primary key (session_id, revision)
);

-- What a button stands for. Its value in Slack is the id and nothing else.
create table buttons (
    id         text primary key,
    session_id text not null references sessions (id),
    action_id  text not null,
    revision   int not null default 0,
    means      text not null default '',
    at         timestamptz not null default now()
);

-- A person's word on one revision: the only thing that lets a branch be written.
create table approvals (
    id          text primary key,
    session_id  text not null references sessions (id),
    revision    int not null,
    report_hash text not null,
    base_commit text not null,
    user_id     text not null,
    user_name   text not null default '',
    scope       text not null default '',
    message_ts  text not null,
    at          timestamptz not null default now(),
    unique (session_id, revision)
);

-- Every decision, allowed or refused.
create table decisions (
    id         bigint generated always as identity primary key,
    session_id text not null references sessions (id),
    what       text not null,
    allowed    boolean not null,
    reason     text not null default '',
    user_id    text not null default '',
    message_ts text not null default '',
    revision   int not null default 0,
    at         timestamptz not null default now()
);

create table tasks (
    id          bigint generated always as identity primary key,
    session_id  text not null references sessions (id),
    number      int not null,
    description text not null,
    category    text not null,
    skill       text not null default '',
    after       int[] not null default '{}',
    state       text not null default 'open',
    summary     text not null default '',
    -- The orchestrator's tool call that asked for it, so that a call made again finds its tasks.
    call_id     text not null default '',
    seen        bigint not null default 0,
    unique (session_id, number)
);

create table attempts (
    task_id bigint not null references tasks (id),
    number  int not null,
    tree    text not null,
    held    boolean not null,
    summary text not null,
    at      timestamptz not null default now(),
    primary key (task_id, number)
);

-- A push is a row before it is a push.
create table pushes (
    session_id  text not null references sessions (id),
    commit_hash text not null,
    tree        text not null,
    base_commit text not null,
    branch      text not null,
    approval_id text,
    state       text not null default 'intended',
    reason      text not null default '',
    at          timestamptz not null default now(),
    primary key (session_id, commit_hash)
);

-- Who works the queue, and when each was last alive by the database's clock.
create table replicas (
    id      text primary key,
    seen_at timestamptz not null default now()
);
