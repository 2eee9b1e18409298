-- Documents that declare message types. `document` is JSON, `sha256` the hash of its canonical form in hex.
CREATE TABLE declared_type (
    workspace_id TEXT COLLATE "C" NOT NULL,
    message_type TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    document TEXT COLLATE "C" NOT NULL,
    key_id TEXT COLLATE "C",
    declared_by TEXT COLLATE "C" NOT NULL,
    declared_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, message_type, version)
);
