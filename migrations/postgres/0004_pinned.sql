-- A person keeps a session at the top of the list.
ALTER TABLE session ADD COLUMN pinned_at BIGINT;
