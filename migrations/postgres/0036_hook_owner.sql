-- The key whose hooks report a session: events by others don't count while it holds.
CREATE TABLE hook_owner (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    key_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, session_id)
);
