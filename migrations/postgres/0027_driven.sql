-- Sessions whose agent the server starts itself. `program` names the agent, `command` is a JSON list where a person gave it.
-- `state`: `running`, `ended`, `failed`, or `interrupted`: the server ended while it ran.
CREATE TABLE driven (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    program TEXT COLLATE "C" NOT NULL,
    command TEXT COLLATE "C",
    folder TEXT COLLATE "C" NOT NULL,
    mode TEXT COLLATE "C",
    model TEXT COLLATE "C",
    state TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C",
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    PRIMARY KEY (workspace_id, session_id)
);
