-- Other machines, whose agents' files are sent here: each with an agent key of its own. `name_key` is the name in lower case. Those that
-- were removed stay, for the names of their sessions.
CREATE TABLE machine (
    workspace_id TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    key_id TEXT NOT NULL,
    person_id TEXT NOT NULL,
    platform TEXT,
    version TEXT,
    added_at INTEGER NOT NULL,
    seen_at INTEGER,
    removed_at INTEGER,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX machine_name ON machine (workspace_id, name_key) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX machine_key ON machine (workspace_id, key_id);

-- The machine that a session is from. None of the server's own.
ALTER TABLE session ADD COLUMN machine_id TEXT;

-- How many sessions are listed of each key, project, agent and machine. A text that a session doesn't have is empty.
CREATE TABLE session_facet_of_machine (
    workspace_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    project TEXT NOT NULL,
    agent TEXT NOT NULL,
    machine_id TEXT NOT NULL,
    sessions INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, key_id, project, agent, machine_id)
) STRICT, WITHOUT ROWID;
INSERT INTO session_facet_of_machine SELECT workspace_id, key_id, project, agent, '', sessions FROM session_facet;
DROP TABLE session_facet;
ALTER TABLE session_facet_of_machine RENAME TO session_facet;
