-- What a key has posted, and the most that it may post.
ALTER TABLE agent_key ADD COLUMN posted_messages INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent_key ADD COLUMN posted_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent_key ADD COLUMN most_messages INTEGER NOT NULL DEFAULT 5000000;
ALTER TABLE agent_key ADD COLUMN most_bytes INTEGER NOT NULL DEFAULT 10000000000;

-- Names of sessions that were deleted for good, as hashes: they stay with the key that had them.
CREATE TABLE forgotten_name (
    workspace_id TEXT NOT NULL,
    hash BLOB NOT NULL,
    key_id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, hash)
) STRICT, WITHOUT ROWID;
