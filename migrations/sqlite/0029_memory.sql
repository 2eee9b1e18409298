-- Messages that are remembered; their words stand in the index of words, marked. `vector`: the text's meaning as 32-bit floats, little
-- endian, of length 1, as `model` made it; null until then. `vector_no` grows with each vector. A row that is `forgotten` has none, and
-- keeps the message from coming back.
CREATE TABLE memory (
    rid INTEGER PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    session_rid INTEGER NOT NULL,
    forgotten INTEGER NOT NULL DEFAULT 0,
    model TEXT,
    vector BLOB,
    vector_no INTEGER
) STRICT;
CREATE INDEX memory_session ON memory (workspace_id, session_rid);
CREATE INDEX memory_vector ON memory (workspace_id, vector_no);
