-- Whose the name of a declared type is: of the key that declared it first, or of people (`key_id` is null).
CREATE TABLE declared_name (
    workspace_id TEXT NOT NULL,
    message_type TEXT NOT NULL,
    key_id TEXT,
    PRIMARY KEY (workspace_id, message_type)
) STRICT, WITHOUT ROWID;
INSERT INTO declared_name (workspace_id, message_type, key_id)
SELECT d.workspace_id, d.message_type, d.key_id FROM declared_type d
WHERE NOT EXISTS (
    SELECT 1 FROM declared_type e
    WHERE e.workspace_id = d.workspace_id AND e.message_type = d.message_type
    AND (e.declared_at < d.declared_at OR (e.declared_at = d.declared_at AND e.version < d.version))
);
