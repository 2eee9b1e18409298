-- What live sessions need: a person's title, end, signs of life, an undo of deletion, how far the agent has read.
ALTER TABLE session ADD COLUMN own_title TEXT COLLATE "C";
ALTER TABLE session ADD COLUMN ended_at BIGINT;
ALTER TABLE session ADD COLUMN failed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN heartbeat_at BIGINT;
ALTER TABLE session ADD COLUMN deleted_at BIGINT;
ALTER TABLE session ADD COLUMN delivered_seq BIGINT NOT NULL DEFAULT 0;
-- The last message of a person that waits, or waited, for the agent.
ALTER TABLE session ADD COLUMN queued_seq BIGINT NOT NULL DEFAULT 0;
-- The agent key that made the session.
ALTER TABLE session ADD COLUMN key_id TEXT COLLATE "C";
ALTER TABLE session ADD COLUMN create_hash BYTEA;

-- Of a posted message: hash of the request that made it, and above which `seq` its answer gave queued messages.
ALTER TABLE message ADD COLUMN create_hash BYTEA;
ALTER TABLE message ADD COLUMN queued_after BIGINT;
-- 1: a person's message to the agent.
ALTER TABLE message ADD COLUMN queued BIGINT NOT NULL DEFAULT 0;
CREATE INDEX message_queued ON message (workspace_id, session_rid, seq) WHERE queued = 1;

CREATE TABLE agent_key (
    workspace_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    scopes TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT,
    revoked_at BIGINT,
    PRIMARY KEY (workspace_id, id)
);
