-- What shows that an imported message is a copy, and the lines that its edits changed in files.
ALTER TABLE message ADD COLUMN twin TEXT;
ALTER TABLE message ADD COLUMN is_copy INTEGER NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN lines_added INTEGER NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN lines_removed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX message_twin ON message (workspace_id, twin) WHERE twin IS NOT NULL;
CREATE INDEX message_lines ON message (workspace_id, session_rid, copied, lines_added, lines_removed)
    WHERE lines_added + lines_removed > 0;

-- The part of a run that counts in another session.
ALTER TABLE run ADD COLUMN copied_input INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN copied_output INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN copied_cache_read INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN copied_cache_write INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN copied_cost_usd REAL NOT NULL DEFAULT 0;

-- API messages: each counts in one of the sessions that repeat it.
CREATE TABLE spent (
    workspace_id TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    copied INTEGER NOT NULL,
    is_copy INTEGER NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cost_usd REAL,
    PRIMARY KEY (workspace_id, session_rid, run_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_id ON spent (workspace_id, id);

-- A call leads to the session of the sub-agent that it started.
CREATE INDEX session_call ON session (workspace_id, call_id) WHERE call_id IS NOT NULL;
