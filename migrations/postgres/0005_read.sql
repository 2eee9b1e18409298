-- How far a person has read a session: what came after is new to them.
CREATE TABLE read_position (
    workspace_id TEXT COLLATE "C" NOT NULL,
    person TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    read_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, person, session_rid)
);

-- When an agent was given what people had written up to a `seq`.
CREATE TABLE delivery (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    delivered_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, seq)
);
