-- What people and the system wrote to an agent that is started here: its transcript has it as well, and each of its lines looks for it.
CREATE INDEX message_posted ON message (workspace_id, session_rid, seq)
    WHERE create_hash IS NOT NULL AND role IN ('user', 'system');
