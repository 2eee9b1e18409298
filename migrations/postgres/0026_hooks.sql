-- What an agent's hooks report of a session, in one word, with the reason and the time.
ALTER TABLE session ADD COLUMN live_state TEXT COLLATE "C";
ALTER TABLE session ADD COLUMN live_reason TEXT COLLATE "C";
ALTER TABLE session ADD COLUMN live_at BIGINT;
-- Approvals that hooks asked for. `ended_at` is null while an agent waits, until `until` at most.
CREATE TABLE hook_request (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    message_id TEXT COLLATE "C" NOT NULL,
    until BIGINT NOT NULL,
    ended_at BIGINT,
    PRIMARY KEY (workspace_id, session_id, message_id)
);
-- What a person always allows, in one folder. `rule` is in the syntax of the agent: `Bash(npm test)`.
CREATE TABLE allow_rule (
    workspace_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    folder TEXT COLLATE "C" NOT NULL,
    rule TEXT COLLATE "C" NOT NULL,
    made_at BIGINT NOT NULL,
    used_at BIGINT,
    uses BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
