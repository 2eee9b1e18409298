-- 1: the agent asks here, and nobody took it back. When a question is gone, the one before it may still be open.
ALTER TABLE message ADD COLUMN asks_input BIGINT NOT NULL DEFAULT 0;
CREATE INDEX message_asks_input ON message (workspace_id, session_rid, seq) WHERE asks_input = 1;

-- The last row that tells of a session is at the end of its index; the rows that are replaced have one of their own.
DROP INDEX feed_session;
CREATE INDEX feed_session ON feed (workspace_id, session_id, pos);
CREATE INDEX feed_replaced ON feed (workspace_id, session_id, kind, from_seq) WHERE kind <> 'range';
