-- Places besides the page where sessions are shown and answered. `settings` and `people` are JSON objects; the settings hold secrets.
-- `position` is how far what arrives was read. One server at a time sends: `lease` names it, until `leased_until`.
CREATE TABLE channel (
    workspace_id TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    settings TEXT NOT NULL,
    people TEXT NOT NULL,
    verbosity TEXT NOT NULL,
    every_session INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    paused_at INTEGER,
    removed_at INTEGER,
    position TEXT,
    lease TEXT,
    leased_until INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
-- How many channels a workspace has: a write that finds none looks no further.
ALTER TABLE workspace ADD COLUMN channels INTEGER NOT NULL DEFAULT 0;
-- Sessions of a channel. `bound` is 0 where a person took the session out, or where a channel of every session made a place for it.
CREATE TABLE channel_session (
    workspace_id TEXT NOT NULL,
    channel_id TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    bound INTEGER NOT NULL,
    from_seq INTEGER NOT NULL,
    place TEXT,
    PRIMARY KEY (workspace_id, channel_id, session_rid)
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_session_session ON channel_session (workspace_id, session_rid);
CREATE INDEX channel_session_place ON channel_session (workspace_id, channel_id, place) WHERE place IS NOT NULL;
-- What a channel is told of a message: `pending`, `sent`, `skipped` (there is nothing to say), `dead` (refused), or `cleared` (a person
-- gave it up). `pos` is its place in the channel's order, `latest` the feed's position at the message's last change. `body` is what is
-- being sent, made of the message at `body_latest`; `said` is the text that it says. `sends` counts what was sent. `shown` is what a
-- decision on the message is bound to, as it was sent; `begun_shown`, as it is being sent.
CREATE TABLE channel_delivery (
    workspace_id TEXT NOT NULL,
    channel_id TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    pos INTEGER NOT NULL,
    latest INTEGER NOT NULL,
    state TEXT NOT NULL,
    sends INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    queued_at INTEGER NOT NULL,
    body TEXT,
    body_latest INTEGER,
    said TEXT,
    begun_shown TEXT,
    shown TEXT,
    is_talk INTEGER,
    external_id TEXT,
    error TEXT,
    sent_at INTEGER,
    PRIMARY KEY (workspace_id, channel_id, session_rid, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_delivery_pending ON channel_delivery (workspace_id, channel_id, pos, session_rid, seq) WHERE state = 'pending';
CREATE INDEX channel_delivery_dead ON channel_delivery (workspace_id, channel_id, pos) WHERE state = 'dead';
CREATE INDEX channel_delivery_session ON channel_delivery (workspace_id, session_rid);
CREATE INDEX channel_delivery_external ON channel_delivery (workspace_id, channel_id, external_id) WHERE external_id IS NOT NULL;
