-- Places besides the page where sessions are shown and answered. `settings` and `people` are JSON objects; the settings hold secrets.
-- `position` is how far what arrives was read. One server at a time sends: `lease` names it, until `leased_until`.
CREATE TABLE channel (
    workspace_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    settings TEXT COLLATE "C" NOT NULL,
    people TEXT COLLATE "C" NOT NULL,
    verbosity TEXT COLLATE "C" NOT NULL,
    every_session BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    paused_at BIGINT,
    removed_at BIGINT,
    position TEXT COLLATE "C",
    lease TEXT COLLATE "C",
    leased_until BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
-- How many channels a workspace has: a write that finds none looks no further.
ALTER TABLE workspace ADD COLUMN channels BIGINT NOT NULL DEFAULT 0;
-- Sessions of a channel. `bound` is 0 where a person took the session out, or where a channel of every session made a place for it.
CREATE TABLE channel_session (
    workspace_id TEXT COLLATE "C" NOT NULL,
    channel_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    bound BIGINT NOT NULL,
    from_seq BIGINT NOT NULL,
    place TEXT COLLATE "C",
    PRIMARY KEY (workspace_id, channel_id, session_rid)
);
CREATE INDEX channel_session_session ON channel_session (workspace_id, session_rid);
CREATE INDEX channel_session_place ON channel_session (workspace_id, channel_id, place) WHERE place IS NOT NULL;
-- What a channel is told of a message: `pending`, `sent`, `skipped` (there is nothing to say), `dead` (refused), or `cleared` (a person
-- gave it up). `pos` is its place in the channel's order, `latest` the feed's position at the message's last change. `body` is what is
-- being sent, made of the message at `body_latest`; `said` is the text that it says. `sends` counts what was sent. `shown` is what a
-- decision on the message is bound to, as it was sent; `begun_shown`, as it is being sent.
CREATE TABLE channel_delivery (
    workspace_id TEXT COLLATE "C" NOT NULL,
    channel_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    pos BIGINT NOT NULL,
    latest BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    sends BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    queued_at BIGINT NOT NULL,
    body TEXT COLLATE "C",
    body_latest BIGINT,
    said TEXT COLLATE "C",
    begun_shown TEXT COLLATE "C",
    shown TEXT COLLATE "C",
    is_talk BIGINT,
    external_id TEXT COLLATE "C",
    error TEXT COLLATE "C",
    sent_at BIGINT,
    PRIMARY KEY (workspace_id, channel_id, session_rid, seq)
);
CREATE INDEX channel_delivery_pending ON channel_delivery (workspace_id, channel_id, pos, session_rid, seq) WHERE state = 'pending';
CREATE INDEX channel_delivery_dead ON channel_delivery (workspace_id, channel_id, pos) WHERE state = 'dead';
CREATE INDEX channel_delivery_session ON channel_delivery (workspace_id, session_rid);
CREATE INDEX channel_delivery_external ON channel_delivery (workspace_id, channel_id, external_id) WHERE external_id IS NOT NULL;
