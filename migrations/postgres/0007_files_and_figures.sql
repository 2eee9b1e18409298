-- Who uploaded a blob: the id of an agent's key, or nothing for a person.
CREATE TABLE blob_upload (
    workspace_id TEXT COLLATE "C" NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    key_id TEXT COLLATE "C" NOT NULL,
    uploaded_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, sha256, key_id)
);

-- Tool calls by name and outcome, and messages by time: statistics read no message.
CREATE TABLE tool_use (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    message_rid BIGINT NOT NULL,
    tool TEXT COLLATE "C" NOT NULL,
    failed BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, message_rid)
);
CREATE INDEX tool_use_time ON tool_use (workspace_id, created_at, session_rid, tool, failed);
CREATE INDEX message_time ON message (workspace_id, created_at, session_rid, display, part, copied);
