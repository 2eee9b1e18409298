-- The index of sessions by their last activity changes once a minute. With nothing indexed in what most posts change, a session's
-- new row stays on the page of the one before, and no index hears of it; so do counts, where their page has room.
ALTER TABLE session ADD COLUMN last_minute BIGINT GENERATED ALWAYS AS (last_at / 60000000) STORED;
DROP INDEX session_last;
CREATE INDEX session_last ON session (workspace_id, last_minute);
ALTER TABLE message_count SET (fillfactor = 50);
-- Where the feed was when messages of a session were added or changed last. The index that told so had an entry for each post.
ALTER TABLE session ADD COLUMN changed_pos BIGINT NOT NULL DEFAULT 0;
DROP INDEX feed_session;
