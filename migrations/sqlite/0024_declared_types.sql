-- Documents that declare message types. `document` is JSON, `sha256` the hash of its canonical form in hex.
CREATE TABLE declared_type (
    workspace_id TEXT NOT NULL,
    message_type TEXT NOT NULL,
    version INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    document TEXT NOT NULL,
    key_id TEXT,
    declared_by TEXT NOT NULL,
    declared_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, message_type, version)
) STRICT, WITHOUT ROWID;
