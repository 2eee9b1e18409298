-- How lists of sessions are found and counted without reading all sessions.
--
-- `has_parent`: the session that this one belongs to is stored. `listed`: it is in the list, since it stands alone, holds something,
-- and is neither archived nor deleted. `needs_you`: it waits for a person.
ALTER TABLE session ADD COLUMN has_parent BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN listed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN needs_you BIGINT NOT NULL DEFAULT 0;
UPDATE session SET
    has_parent = CASE WHEN EXISTS (SELECT 1 FROM session o WHERE o.workspace_id = session.workspace_id AND o.agent = session.agent
        AND o.key = session.parent_key) THEN 1 ELSE 0 END,
    needs_you = CASE WHEN approvals_open > 0 OR ask_seq > user_seq THEN 1 ELSE 0 END;
UPDATE session SET listed = 1
    WHERE archived_at IS NULL AND deleted_at IS NULL AND has_parent = 0 AND (last_seq > 0 OR create_hash IS NOT NULL);

DROP INDEX session_last;
CREATE INDEX session_listed ON session (workspace_id, last_minute) WHERE listed = 1;
CREATE INDEX session_needs_you ON session (workspace_id, last_minute) WHERE needs_you = 1;
CREATE INDEX session_archived ON session (workspace_id, last_minute) WHERE archived_at IS NOT NULL;
CREATE INDEX session_pinned ON session (workspace_id, last_minute) WHERE pinned_at IS NOT NULL;
-- Sub-agents are counted in the index alone.
DROP INDEX session_parent;
CREATE INDEX session_parent ON session (workspace_id, parent_key, agent, deleted_at) WHERE parent_key IS NOT NULL;

-- How many sessions are listed of each key, project and agent. A text that a session doesn't have is empty.
CREATE TABLE session_facet (
    workspace_id TEXT COLLATE "C" NOT NULL,
    key_id TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    sessions BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, key_id, project, agent)
);
INSERT INTO session_facet SELECT workspace_id, COALESCE(key_id, ''), COALESCE(project, ''), agent, COUNT(*) FROM session
    WHERE listed = 1 GROUP BY 1, 2, 3, 4;

-- A session's todos are few among its messages.
CREATE INDEX message_todo ON message (workspace_id, session_rid, seq) WHERE message_type = 'TODO';
