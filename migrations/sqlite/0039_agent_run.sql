-- Agents that run now: at most one for each session. The row is there from before the agent's process starts until it has ended.
-- `run` names this start. `phase`: `starting`, `working`, `idle` (waits for a prompt), `stopped` (the server ended it while
-- it worked), or `left`: it outlived its server, and the next one could not end it.
-- `mark`, `process` and `process_started` recognise the process: the value of a variable in its environment, its id and its start.
-- `server` is the server that runs it, where several use one database: it renews `leased_until`, behind which another server may start one.
CREATE TABLE agent_run (
    workspace_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    run TEXT NOT NULL,
    server TEXT,
    phase TEXT NOT NULL,
    mark TEXT,
    process INTEGER,
    process_started TEXT,
    leased_until INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, session_id)
) STRICT, WITHOUT ROWID;
