-- Texts that a person erased: what is imported from now on is stored without them. `hash` is the SHA-256 of the text's `len` bytes,
-- `roll` another hash by which it is found quickly. `workspace.erased` counts them: a write that finds none looks no further.
CREATE TABLE erased_text (
    workspace_id TEXT COLLATE "C" NOT NULL,
    hash BYTEA NOT NULL,
    len BIGINT NOT NULL,
    roll BIGINT NOT NULL,
    erased_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, hash)
);
ALTER TABLE workspace ADD COLUMN erased BIGINT NOT NULL DEFAULT 0;

-- Where the stored bytes of a source aren't those of its file.
CREATE TABLE erased_range (
    workspace_id TEXT COLLATE "C" NOT NULL,
    source_rid BIGINT NOT NULL,
    start_at BIGINT NOT NULL,
    len BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, source_rid, start_at)
);
