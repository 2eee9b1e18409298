-- The index of sessions by their last activity changes once a minute.
ALTER TABLE session ADD COLUMN last_minute INTEGER GENERATED ALWAYS AS (last_at / 60000000) VIRTUAL;
DROP INDEX session_last;
CREATE INDEX session_last ON session (workspace_id, last_minute);
