-- Of a call that was posted: its `call_id`, by which an approval finds what it is about.
ALTER TABLE tool_use ADD COLUMN call_id TEXT;
CREATE INDEX tool_use_call ON tool_use (workspace_id, session_rid, call_id) WHERE call_id IS NOT NULL;
