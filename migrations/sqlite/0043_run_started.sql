-- The last run of a session that counts there, and its outcome, without reading the others.
CREATE INDEX run_started ON run (workspace_id, session_rid, started_at, id) WHERE copied = 0;
