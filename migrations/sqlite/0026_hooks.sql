-- What an agent's hooks report of a session, in one word, with the reason and the time.
ALTER TABLE session ADD COLUMN live_state TEXT;
ALTER TABLE session ADD COLUMN live_reason TEXT;
ALTER TABLE session ADD COLUMN live_at INTEGER;
-- Approvals that hooks asked for. `ended_at` is null while an agent waits, until `until` at most.
CREATE TABLE hook_request (
    workspace_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    until INTEGER NOT NULL,
    ended_at INTEGER,
    PRIMARY KEY (workspace_id, session_id, message_id)
) STRICT, WITHOUT ROWID;
-- What a person always allows, in one folder. `rule` is in the syntax of the agent: `Bash(npm test)`.
CREATE TABLE allow_rule (
    workspace_id TEXT NOT NULL,
    id TEXT NOT NULL,
    agent TEXT NOT NULL,
    folder TEXT NOT NULL,
    rule TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    used_at INTEGER,
    uses INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
