-- Texts of the context log are packed like messages, and one that was given before isn't stored again: `same_as` is the position
-- of the entry that has it. The byte 0 stands before what isn't compressed.
UPDATE context_log SET rendered = CAST(x'00' || rendered AS BLOB);
ALTER TABLE context_log ADD COLUMN same_as INTEGER;
CREATE INDEX context_log_seq ON context_log (workspace_id, session_rid, seq, position)
    WHERE seq IS NOT NULL AND same_as IS NULL;
-- The history up to this `seq` had no room in the run's prompt.
ALTER TABLE run ADD COLUMN omitted_to INTEGER;
