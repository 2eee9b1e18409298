-- Which files each message changed, with the lines that it added to each and removed: lists of changed files and searches by path
-- read no message for it. Stored messages get theirs as their words are written anew.
CREATE TABLE file_change (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    no BIGINT NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    change TEXT COLLATE "C" NOT NULL,
    added BIGINT NOT NULL,
    removed BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, seq, no)
);
CREATE INDEX file_change_at ON file_change (workspace_id, changed_at, session_rid, seq, no);
