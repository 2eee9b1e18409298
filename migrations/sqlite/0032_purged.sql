-- When what an imported session held was deleted for good. Its row stays, so that its file doesn't bring it back.
ALTER TABLE session ADD COLUMN purged_at INTEGER;
