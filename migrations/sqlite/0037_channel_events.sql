-- What became of what people did in channels: an event that comes again is answered with this, and does nothing more. `event` is the
-- SHA-256 of the channel's own id of it, in hex. `result` is `decided`, `changed`, `ignored`, or `refused` with the `problem` as JSON.
CREATE TABLE channel_event (
    workspace_id TEXT NOT NULL,
    channel_id TEXT NOT NULL,
    event TEXT NOT NULL,
    at INTEGER NOT NULL,
    result TEXT NOT NULL,
    seq INTEGER,
    problem TEXT,
    PRIMARY KEY (workspace_id, channel_id, event)
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_event_at ON channel_event (workspace_id, at);
