-- Browsers that show notifications while no page is open, one for each log-in at most. `endpoint`, `receiver` and `secret` are what the
-- browser gave as its subscription, `settings` (JSON) what its person wants to be told. Requests up to `from_rid` were there before.
-- `error` says why the last message wasn't taken.
CREATE TABLE push_device (
    workspace_id TEXT COLLATE "C" NOT NULL,
    login TEXT COLLATE "C" NOT NULL,
    endpoint TEXT NOT NULL,
    receiver TEXT NOT NULL,
    secret TEXT NOT NULL,
    settings TEXT NOT NULL,
    from_rid BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    error TEXT,
    PRIMARY KEY (workspace_id, login)
);
-- Notifications of a browser: `kind` and `session_id` with `seq` say what of. `state` is `due` (it is being shown), `shown`, `summed` (the
-- one about many says it) or `closing`. What is due or closing is left to the server that took it, until `next_at`. `count` is what
-- the one about many says.
CREATE TABLE push_notice (
    workspace_id TEXT COLLATE "C" NOT NULL,
    login TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    state TEXT NOT NULL,
    count BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    told_at BIGINT,
    PRIMARY KEY (workspace_id, login, kind, session_id, seq)
);
