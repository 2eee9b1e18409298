-- The index of sessions by their last activity changes once a minute.
ALTER TABLE session ADD COLUMN last_minute INTEGER GENERATED ALWAYS AS (last_at / 60000000) VIRTUAL;
DROP INDEX session_last;
CREATE INDEX session_last ON session (workspace_id, last_minute);
-- Where the feed was when messages of a session were added or changed last. The index that told so had an entry for each post.
ALTER TABLE session ADD COLUMN changed_pos INTEGER NOT NULL DEFAULT 0;
DROP INDEX feed_session;
