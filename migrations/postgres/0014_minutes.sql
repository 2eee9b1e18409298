-- The index of sessions by their last activity changes once a minute. With nothing indexed in what most posts change, a session's
-- new row stays on the page of the one before, and no index hears of it; so do counts, where their page has room.
ALTER TABLE session ADD COLUMN last_minute BIGINT GENERATED ALWAYS AS (last_at / 60000000) STORED;
DROP INDEX session_last;
CREATE INDEX session_last ON session (workspace_id, last_minute);
ALTER TABLE message_count SET (fillfactor = 50);
