-- `beats`: the session's agent says that it lives by heartbeats, and not only by what it does. Only such an agent can be lost.
ALTER TABLE session ADD COLUMN beats BIGINT NOT NULL DEFAULT 0;
