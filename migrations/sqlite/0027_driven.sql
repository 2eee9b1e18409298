-- Sessions whose agent the server starts itself. `program` names the agent, `command` is a JSON list where a person gave it.
-- `state`: `running`, `ended`, `failed`, or `interrupted`: the server ended while it ran.
CREATE TABLE driven (
    workspace_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    program TEXT NOT NULL,
    command TEXT,
    folder TEXT NOT NULL,
    mode TEXT,
    model TEXT,
    state TEXT NOT NULL,
    reason TEXT,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    PRIMARY KEY (workspace_id, session_id)
) STRICT, WITHOUT ROWID;
