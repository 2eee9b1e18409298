-- Times are microseconds since 1970. A rid is a number unique in the database: a message lies in the order of its arrival.
CREATE TABLE workspace (
    id TEXT COLLATE "C" PRIMARY KEY,
    no BIGINT NOT NULL UNIQUE,
    feed_pos BIGINT NOT NULL DEFAULT 0,
    last_rid BIGINT NOT NULL
);

CREATE TABLE source (
    rid BIGINT PRIMARY KEY,
    workspace_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    reader TEXT COLLATE "C" NOT NULL,
    reader_version BIGINT NOT NULL,
    imported_at BIGINT NOT NULL,
    UNIQUE (workspace_id, id)
);
CREATE INDEX source_path ON source (workspace_id, path);

CREATE TABLE record_chunk (
    workspace_id TEXT COLLATE "C" NOT NULL,
    source_rid BIGINT NOT NULL,
    start_at BIGINT NOT NULL,
    len BIGINT NOT NULL,
    data BYTEA NOT NULL,
    UNIQUE (workspace_id, source_rid, start_at)
);

CREATE TABLE session (
    rid BIGINT PRIMARY KEY,
    workspace_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    parent_key TEXT COLLATE "C",
    forked_from TEXT COLLATE "C",
    call_id TEXT COLLATE "C",
    title TEXT COLLATE "C",
    first_prompt TEXT COLLATE "C",
    project TEXT COLLATE "C",
    cwd TEXT COLLATE "C",
    branch TEXT COLLATE "C",
    model TEXT COLLATE "C",
    version TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    archived_at BIGINT,
    last_seq BIGINT NOT NULL,
    message_count BIGINT NOT NULL,
    lines_added BIGINT NOT NULL,
    lines_removed BIGINT NOT NULL,
    todos_open BIGINT NOT NULL,
    todos_done BIGINT NOT NULL,
    approvals_open BIGINT NOT NULL,
    ask_seq BIGINT NOT NULL,
    user_seq BIGINT NOT NULL,
    runs_open BIGINT NOT NULL,
    last_outcome TEXT COLLATE "C",
    input BIGINT NOT NULL,
    output BIGINT NOT NULL,
    cache_read BIGINT NOT NULL,
    cache_write BIGINT NOT NULL,
    cost_usd DOUBLE PRECISION,
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, key, agent)
);
CREATE INDEX session_parent ON session (workspace_id, parent_key) WHERE parent_key IS NOT NULL;
CREATE INDEX session_last ON session (workspace_id, last_at);

CREATE TABLE message (
    rid BIGINT PRIMARY KEY,
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    sender TEXT COLLATE "C" NOT NULL,
    message_type TEXT COLLATE "C" NOT NULL,
    part TEXT COLLATE "C" NOT NULL,
    display BIGINT NOT NULL,
    copied BIGINT NOT NULL,
    asks BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    records BYTEA NOT NULL,
    body BYTEA NOT NULL,
    UNIQUE (workspace_id, session_rid, seq),
    UNIQUE (workspace_id, id, session_rid)
);

-- How many messages of each kind a session has, so that counting reads no message.
CREATE TABLE message_count (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    message_type TEXT COLLATE "C" NOT NULL,
    display BIGINT NOT NULL,
    part TEXT COLLATE "C" NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, role, message_type, display, part)
);

CREATE TABLE session_source (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    source_rid BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, source_rid)
);
CREATE INDEX session_source_source ON session_source (workspace_id, source_rid);

CREATE TABLE run (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    copied BIGINT NOT NULL,
    model TEXT COLLATE "C",
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    outcome TEXT COLLATE "C" NOT NULL,
    input BIGINT NOT NULL,
    output BIGINT NOT NULL,
    cache_read BIGINT NOT NULL,
    cache_write BIGINT NOT NULL,
    cost_usd DOUBLE PRECISION,
    PRIMARY KEY (workspace_id, session_rid, id)
);
CREATE INDEX run_id ON run (workspace_id, id);

CREATE TABLE blob (
    workspace_id TEXT COLLATE "C" NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    mime TEXT COLLATE "C" NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (workspace_id, sha256)
);

CREATE TABLE session_blob (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, sha256)
);
CREATE INDEX session_blob_sha256 ON session_blob (workspace_id, sha256);

CREATE TABLE feed (
    workspace_id TEXT COLLATE "C" NOT NULL,
    pos BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    from_seq BIGINT NOT NULL,
    to_seq BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, pos)
);
CREATE INDEX feed_session ON feed (workspace_id, session_id, kind, from_seq);

CREATE TABLE project (
    workspace_id TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    following TEXT COLLATE "C" NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, path)
);

CREATE TABLE login (
    workspace_id TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    label TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, hash)
);

CREATE TABLE meta (
    workspace_id TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, key)
);

-- Bytes come compressed.
ALTER TABLE record_chunk ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE message ALTER COLUMN body SET STORAGE EXTERNAL;
-- These rows change often: room on their page lets them stay on it.
ALTER TABLE session SET (fillfactor = 50);
ALTER TABLE workspace SET (fillfactor = 50);

-- Words are cut before they come here. The rowid is the message's rid, named as in SQLite.
CREATE TABLE message_search (
    rowid BIGINT PRIMARY KEY,
    words TSVECTOR NOT NULL
);
CREATE INDEX message_search_words ON message_search USING GIN (words);
