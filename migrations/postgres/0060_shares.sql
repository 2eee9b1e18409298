-- Links by which somebody without a log-in reads a part of a session. Of its secret only the SHA-256 is here, in hex. The range ends at
-- the last message that was there when the link was made. `revisions` (JSON) has the revision of each message of the range that had
-- been changed by then: one that changes later isn't shown.
CREATE TABLE share_link (
    workspace_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    from_seq BIGINT NOT NULL,
    to_seq BIGINT NOT NULL,
    revisions TEXT NOT NULL,
    redacted BIGINT NOT NULL,
    label TEXT NOT NULL,
    shared_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    opened_count BIGINT NOT NULL,
    last_opened_at BIGINT,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX share_link_hash ON share_link (workspace_id, hash);
