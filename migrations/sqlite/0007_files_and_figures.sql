-- Who uploaded a blob: the id of an agent's key, or nothing for a person.
CREATE TABLE blob_upload (
    workspace_id TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    key_id TEXT NOT NULL,
    uploaded_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, sha256, key_id)
) STRICT, WITHOUT ROWID;

-- Tool calls by name and outcome, and messages by time: statistics read no message.
CREATE TABLE tool_use (
    workspace_id TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    message_rid INTEGER NOT NULL,
    tool TEXT NOT NULL,
    failed INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, message_rid)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_use_time ON tool_use (workspace_id, created_at, session_rid, tool, failed);
CREATE INDEX message_time ON message (workspace_id, created_at, session_rid, display, part, copied);
