-- What live sessions need: a person's title, end, signs of life, an undo of deletion, how far the agent has read.
ALTER TABLE session ADD COLUMN own_title TEXT;
ALTER TABLE session ADD COLUMN ended_at INTEGER;
ALTER TABLE session ADD COLUMN failed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN heartbeat_at INTEGER;
ALTER TABLE session ADD COLUMN deleted_at INTEGER;
ALTER TABLE session ADD COLUMN delivered_seq INTEGER NOT NULL DEFAULT 0;
-- The last message of a person that waits, or waited, for the agent.
ALTER TABLE session ADD COLUMN queued_seq INTEGER NOT NULL DEFAULT 0;
-- The agent key that made the session.
ALTER TABLE session ADD COLUMN key_id TEXT;
ALTER TABLE session ADD COLUMN create_hash BLOB;

-- Of a posted message: hash of the request that made it, and above which `seq` its answer gave queued messages.
ALTER TABLE message ADD COLUMN create_hash BLOB;
ALTER TABLE message ADD COLUMN queued_after INTEGER;
-- 1: a person's message to the agent.
ALTER TABLE message ADD COLUMN queued INTEGER NOT NULL DEFAULT 0;
CREATE INDEX message_queued ON message (workspace_id, session_rid, seq) WHERE queued = 1;

CREATE TABLE agent_key (
    workspace_id TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    hash TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER,
    revoked_at INTEGER,
    PRIMARY KEY (workspace_id, id)
) STRICT;
