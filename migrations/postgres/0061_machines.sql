-- Other machines, whose agents' files are sent here: each with an agent key of its own. `name_key` is the name in lower case. Those that
-- were removed stay, for the names of their sessions.
CREATE TABLE machine (
    workspace_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL,
    key_id TEXT COLLATE "C" NOT NULL,
    person_id TEXT COLLATE "C" NOT NULL,
    platform TEXT,
    version TEXT,
    added_at BIGINT NOT NULL,
    seen_at BIGINT,
    removed_at BIGINT,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX machine_name ON machine (workspace_id, name_key) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX machine_key ON machine (workspace_id, key_id);

-- The machine that a session is from. None of the server's own.
ALTER TABLE session ADD COLUMN machine_id TEXT COLLATE "C";

-- How many sessions are listed of each key, project, agent and machine. A text that a session doesn't have is empty.
ALTER TABLE session_facet ADD COLUMN machine_id TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE session_facet DROP CONSTRAINT session_facet_pkey;
ALTER TABLE session_facet ADD PRIMARY KEY (workspace_id, key_id, project, agent, machine_id);
