-- The approvals that wait for a person, so that finding them reads no other message.
CREATE INDEX message_asks ON message (workspace_id, session_rid, seq) WHERE asks = 1;
