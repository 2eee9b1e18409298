-- Texts that driven agents are writing and that no transcript has yet, stored at a bounded pace. A row goes once its text is over, or,
-- where the agent broke off, once it has become a message: of this id.
CREATE TABLE growing_text (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    message_id TEXT COLLATE "C" NOT NULL,
    thought BIGINT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (workspace_id, session_id, message_id)
);
