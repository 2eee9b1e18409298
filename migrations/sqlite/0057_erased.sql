-- Texts that a person erased: what is imported from now on is stored without them. `hash` is the SHA-256 of the text's `len` bytes,
-- `roll` another hash by which it is found quickly. `workspace.erased` counts them: a write that finds none looks no further.
CREATE TABLE erased_text (
    workspace_id TEXT NOT NULL,
    hash BLOB NOT NULL,
    len INTEGER NOT NULL,
    roll INTEGER NOT NULL,
    erased_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, hash)
) STRICT, WITHOUT ROWID;
ALTER TABLE workspace ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;

-- Where the stored bytes of a source aren't those of its file.
CREATE TABLE erased_range (
    workspace_id TEXT NOT NULL,
    source_rid INTEGER NOT NULL,
    start_at INTEGER NOT NULL,
    len INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, source_rid, start_at)
) STRICT, WITHOUT ROWID;
