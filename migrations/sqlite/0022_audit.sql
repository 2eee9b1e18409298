-- The audit log. `entry` is canonical JSON with the hash of the entry before; `hash` is its SHA-256 in hex.
CREATE TABLE audit (
    workspace_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    entry TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (workspace_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_kind ON audit (workspace_id, kind, number);

CREATE TRIGGER audit_update BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER audit_delete BEFORE DELETE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
-- REPLACE fires no trigger of a DELETE.
CREATE TRIGGER audit_insert BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE workspace_id = NEW.workspace_id AND number >= NEW.number) BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
