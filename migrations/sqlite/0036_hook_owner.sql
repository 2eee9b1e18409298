-- The key whose hooks report a session: events by others don't count while it holds.
CREATE TABLE hook_owner (
    workspace_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, session_id)
) STRICT, WITHOUT ROWID;
