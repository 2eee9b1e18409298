-- The last message that waits, or waited, for the agent, of whatever role. `queued_seq` is the last one that wakes it.
ALTER TABLE session ADD COLUMN waiting_seq INTEGER NOT NULL DEFAULT 0;
UPDATE session SET waiting_seq = queued_seq;
-- The run that an agent began here and hasn't ended.
ALTER TABLE session ADD COLUMN begun_run TEXT;
CREATE INDEX session_begun ON session (workspace_id) WHERE begun_run IS NOT NULL;

-- Of a run that began here: how its input was written, where the notices went, and between which `seq` its messages lie.
ALTER TABLE run ADD COLUMN format TEXT;
ALTER TABLE run ADD COLUMN placement TEXT;
ALTER TABLE run ADD COLUMN given_after INTEGER;
ALTER TABLE run ADD COLUMN given_to INTEGER;

-- The exact bytes that agents were given, in order. `hash` covers the hash of the entry before.
CREATE TABLE context_log (
    workspace_id TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    position INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    part TEXT NOT NULL,
    kind TEXT NOT NULL,
    seq INTEGER,
    given_at INTEGER NOT NULL,
    rendered BLOB NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, position)
) STRICT;
