-- Times are microseconds since 1970. A rid is a number unique in the database: a message lies in the order of its arrival.
CREATE TABLE workspace (
    id TEXT PRIMARY KEY,
    no INTEGER NOT NULL UNIQUE,
    feed_pos INTEGER NOT NULL DEFAULT 0,
    last_rid INTEGER NOT NULL
) STRICT;

CREATE TABLE source (
    rid INTEGER PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    id TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    reader TEXT NOT NULL,
    reader_version INTEGER NOT NULL,
    imported_at INTEGER NOT NULL,
    UNIQUE (workspace_id, id)
) STRICT;
CREATE INDEX source_path ON source (workspace_id, path);

CREATE TABLE record_chunk (
    workspace_id TEXT NOT NULL,
    source_rid INTEGER NOT NULL,
    start_at INTEGER NOT NULL,
    len INTEGER NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (workspace_id, source_rid, start_at)
) STRICT;

CREATE TABLE session (
    rid INTEGER PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    id TEXT NOT NULL,
    agent TEXT NOT NULL,
    key TEXT NOT NULL,
    parent_key TEXT,
    forked_from TEXT,
    call_id TEXT,
    title TEXT,
    first_prompt TEXT,
    project TEXT,
    cwd TEXT,
    branch TEXT,
    model TEXT,
    version TEXT,
    created_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    archived_at INTEGER,
    last_seq INTEGER NOT NULL,
    message_count INTEGER NOT NULL,
    lines_added INTEGER NOT NULL,
    lines_removed INTEGER NOT NULL,
    todos_open INTEGER NOT NULL,
    todos_done INTEGER NOT NULL,
    approvals_open INTEGER NOT NULL,
    ask_seq INTEGER NOT NULL,
    user_seq INTEGER NOT NULL,
    runs_open INTEGER NOT NULL,
    last_outcome TEXT,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cost_usd REAL,
    UNIQUE (workspace_id, id),
    UNIQUE (workspace_id, key, agent)
) STRICT;
CREATE INDEX session_parent ON session (workspace_id, parent_key) WHERE parent_key IS NOT NULL;
CREATE INDEX session_last ON session (workspace_id, last_at);

CREATE TABLE message (
    rid INTEGER PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    role TEXT NOT NULL,
    sender TEXT NOT NULL,
    message_type TEXT NOT NULL,
    part TEXT NOT NULL,
    display INTEGER NOT NULL,
    copied INTEGER NOT NULL,
    asks INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    hash BLOB NOT NULL,
    records BLOB NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (workspace_id, session_rid, seq),
    UNIQUE (workspace_id, id, session_rid)
) STRICT;

-- How many messages of each kind a session has, so that counting reads no message.
CREATE TABLE message_count (
    workspace_id TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    role TEXT NOT NULL,
    message_type TEXT NOT NULL,
    display INTEGER NOT NULL,
    part TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, role, message_type, display, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE session_source (
    workspace_id TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    source_rid INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, source_rid)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_source_source ON session_source (workspace_id, source_rid);

CREATE TABLE run (
    workspace_id TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    id TEXT NOT NULL,
    copied INTEGER NOT NULL,
    model TEXT,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    outcome TEXT NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    cost_usd REAL,
    PRIMARY KEY (workspace_id, session_rid, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_id ON run (workspace_id, id);

CREATE TABLE blob (
    workspace_id TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    mime TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (workspace_id, sha256)
) STRICT;

CREATE TABLE session_blob (
    workspace_id TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_blob_sha256 ON session_blob (workspace_id, sha256);

CREATE TABLE feed (
    workspace_id TEXT NOT NULL,
    pos INTEGER NOT NULL,
    kind TEXT NOT NULL,
    session_id TEXT NOT NULL,
    from_seq INTEGER NOT NULL,
    to_seq INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, pos)
) STRICT, WITHOUT ROWID;
CREATE INDEX feed_session ON feed (workspace_id, session_id, kind, from_seq);

CREATE TABLE project (
    workspace_id TEXT NOT NULL,
    path TEXT NOT NULL,
    following TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, path)
) STRICT;

CREATE TABLE login (
    workspace_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (workspace_id, hash)
) STRICT;

CREATE TABLE meta (
    workspace_id TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (workspace_id, key)
) STRICT;

-- Words are cut before they come here. The rowid is the message's rid. `detail=none`: which message, not where in it.
CREATE VIRTUAL TABLE message_search USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
-- Words of a batch are gathered in up to 8 MB of memory, and merged less often: an import writes its index fewer times.
INSERT INTO message_search (message_search, rank) VALUES ('hashsize', 8388608);
INSERT INTO message_search (message_search, rank) VALUES ('automerge', 8);
