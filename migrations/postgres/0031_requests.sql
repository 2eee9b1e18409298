-- What is known of each request to a model beside its tokens. `model` is None where the transcript doesn't say it, `context` is the
-- largest input in tokens where the agent says it, `message_id` is the first message of the answer.
ALTER TABLE spent ADD COLUMN cache_write_1h BIGINT NOT NULL DEFAULT 0;
ALTER TABLE spent ADD COLUMN model TEXT COLLATE "C";
ALTER TABLE spent ADD COLUMN began_at BIGINT;
ALTER TABLE spent ADD COLUMN ended_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE spent ADD COLUMN first_token_ms BIGINT;
ALTER TABLE spent ADD COLUMN stop_reason TEXT COLLATE "C";
ALTER TABLE spent ADD COLUMN context BIGINT;
ALTER TABLE spent ADD COLUMN message_id TEXT COLLATE "C";
UPDATE spent SET
    model = (SELECT run.model FROM run WHERE run.workspace_id = spent.workspace_id AND run.session_rid = spent.session_rid
        AND run.id = spent.run_id),
    ended_at = COALESCE((SELECT run.started_at FROM run WHERE run.workspace_id = spent.workspace_id
        AND run.session_rid = spent.session_rid AND run.id = spent.run_id), 0);

-- Statistics read requests by time.
CREATE INDEX spent_time ON spent (workspace_id, ended_at);

-- How long a call of a tool took, where that is known.
ALTER TABLE tool_use ADD COLUMN duration_ms BIGINT;
