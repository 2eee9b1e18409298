-- The lines of a session's edits are counted as they are written.
DROP INDEX message_lines;
