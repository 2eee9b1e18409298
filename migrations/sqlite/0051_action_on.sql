-- Of an ACTION: the message that a person answered by it. Those from before have none.
ALTER TABLE message ADD COLUMN action_on TEXT;
CREATE INDEX message_action_on ON message (workspace_id, session_rid, action_on, seq) WHERE action_on IS NOT NULL;
