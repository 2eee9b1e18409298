-- Messages that are remembered; their words stand in the index of words, marked. `vector`: the text's meaning as 32-bit floats, little
-- endian, of length 1, as `model` made it; null until then. `vector_no` grows with each vector. A row that is `forgotten` has none, and
-- keeps the message from coming back.
CREATE TABLE memory (
    rid BIGINT PRIMARY KEY,
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    forgotten BIGINT NOT NULL DEFAULT 0,
    model TEXT COLLATE "C",
    vector BYTEA,
    vector_no BIGINT
);
CREATE INDEX memory_session ON memory (workspace_id, session_rid);
CREATE INDEX memory_vector ON memory (workspace_id, vector_no);
