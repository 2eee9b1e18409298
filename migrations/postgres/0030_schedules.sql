-- Prompts that are sent at a time (`at`), or again and again (`cron`, in `zone`). `next_at` is the next run that nobody has claimed;
-- null where there is none.
CREATE TABLE schedule (
    workspace_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    prompt TEXT COLLATE "C" NOT NULL,
    at BIGINT,
    cron TEXT COLLATE "C",
    zone TEXT COLLATE "C" NOT NULL,
    next_at BIGINT,
    created_at BIGINT NOT NULL,
    paused_at BIGINT,
    removed_at BIGINT,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX schedule_next ON schedule (workspace_id, next_at) WHERE next_at IS NOT NULL;

-- What became of each time that came. `outcome`: `sent`, `missed` (with how many in a row, up to `due_at`), or `refused`.
CREATE TABLE schedule_run (
    workspace_id TEXT COLLATE "C" NOT NULL,
    schedule_id TEXT COLLATE "C" NOT NULL,
    due_at BIGINT NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    missed BIGINT NOT NULL DEFAULT 0,
    message_id TEXT COLLATE "C",
    reason TEXT COLLATE "C",
    ran_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, schedule_id, due_at)
);
CREATE INDEX schedule_run_message ON schedule_run (workspace_id, message_id) WHERE message_id IS NOT NULL;
