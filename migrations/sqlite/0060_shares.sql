-- Links by which somebody without a log-in reads a part of a session. Of its secret only the SHA-256 is here, in hex. The range ends at
-- the last message that was there when the link was made. `revisions` (JSON) has the revision of each message of the range that had
-- been changed by then: one that changes later isn't shown.
CREATE TABLE share_link (
    workspace_id TEXT NOT NULL,
    id TEXT NOT NULL,
    hash TEXT NOT NULL,
    session_id TEXT NOT NULL,
    from_seq INTEGER NOT NULL,
    to_seq INTEGER NOT NULL,
    revisions TEXT NOT NULL,
    redacted INTEGER NOT NULL,
    label TEXT NOT NULL,
    shared_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER,
    opened_count INTEGER NOT NULL,
    last_opened_at INTEGER,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX share_link_hash ON share_link (workspace_id, hash);
