-- Agents that run now: at most one for each session. The row is there from before the agent's process starts until it has ended.
-- `run` names this start. `phase`: `starting`, `working`, `idle` (waits for a prompt), `stopped` (the server ended it while
-- it worked), or `left`: it outlived its server, and the next one could not end it.
-- `mark`, `process` and `process_started` recognise the process: the value of a variable in its environment, its id and its start.
-- `server` is the server that runs it, where several use one database: it renews `leased_until`, behind which another server may start one.
CREATE TABLE agent_run (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    run TEXT COLLATE "C" NOT NULL,
    server TEXT COLLATE "C",
    phase TEXT COLLATE "C" NOT NULL,
    mark TEXT COLLATE "C",
    process BIGINT,
    process_started TEXT COLLATE "C",
    leased_until BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, session_id)
);
