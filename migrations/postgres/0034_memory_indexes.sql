-- What is asked of memory is answered from indexes: rows with vectors are wide. How many there are, and those of a session; the newest;
-- those that wait for a vector.
DROP INDEX memory_session;
CREATE INDEX memory_session ON memory (workspace_id, session_rid, forgotten, vector_no);
CREATE INDEX memory_newest ON memory (workspace_id, forgotten, rid, session_rid);
CREATE INDEX memory_pending ON memory (workspace_id, forgotten, rid) WHERE model IS NULL;
CREATE INDEX memory_model ON memory (workspace_id, model) WHERE model IS NOT NULL;
