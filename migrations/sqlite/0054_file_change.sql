-- Which files each message changed, with the lines that it added to each and removed: lists of changed files and searches by path
-- read no message for it. Stored messages get theirs as their words are written anew.
CREATE TABLE file_change (
    workspace_id TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    no INTEGER NOT NULL,
    path TEXT NOT NULL,
    change TEXT NOT NULL,
    added INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, seq, no)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_change_at ON file_change (workspace_id, changed_at, session_rid, seq, no);
