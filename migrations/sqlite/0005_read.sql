-- How far a person has read a session: what came after is new to them.
CREATE TABLE read_position (
    workspace_id TEXT NOT NULL,
    person TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    read_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, person, session_rid)
) STRICT, WITHOUT ROWID;

-- When an agent was given what people had written up to a `seq`.
CREATE TABLE delivery (
    workspace_id TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    delivered_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, seq)
) STRICT, WITHOUT ROWID;
