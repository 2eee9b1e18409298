-- The last message that waits, or waited, for the agent, of whatever role. `queued_seq` is the last one that wakes it.
ALTER TABLE session ADD COLUMN waiting_seq BIGINT NOT NULL DEFAULT 0;
UPDATE session SET waiting_seq = queued_seq;
-- The run that an agent began here and hasn't ended.
ALTER TABLE session ADD COLUMN begun_run TEXT COLLATE "C";
CREATE INDEX session_begun ON session (workspace_id) WHERE begun_run IS NOT NULL;

-- Of a run that began here: how its input was written, where the notices went, and between which `seq` its messages lie.
ALTER TABLE run ADD COLUMN format TEXT COLLATE "C";
ALTER TABLE run ADD COLUMN placement TEXT COLLATE "C";
ALTER TABLE run ADD COLUMN given_after BIGINT;
ALTER TABLE run ADD COLUMN given_to BIGINT;

-- The exact bytes that agents were given, in order. `hash` covers the hash of the entry before.
CREATE TABLE context_log (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    position BIGINT NOT NULL,
    run_id TEXT COLLATE "C" NOT NULL,
    part TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    seq BIGINT,
    given_at BIGINT NOT NULL,
    rendered BYTEA NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, position)
);
