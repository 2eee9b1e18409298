-- `driven`: an agent that the server drives has the session. What its driver reports of it holds until it ends.
ALTER TABLE session ADD COLUMN driven INTEGER NOT NULL DEFAULT 0;
