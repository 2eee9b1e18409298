-- Prompts that are sent at a time (`at`), or again and again (`cron`, in `zone`). `next_at` is the next run that nobody has claimed;
-- null where there is none.
CREATE TABLE schedule (
    workspace_id TEXT NOT NULL,
    id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    prompt TEXT NOT NULL,
    at INTEGER,
    cron TEXT,
    zone TEXT NOT NULL,
    next_at INTEGER,
    created_at INTEGER NOT NULL,
    paused_at INTEGER,
    removed_at INTEGER,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX schedule_next ON schedule (workspace_id, next_at) WHERE next_at IS NOT NULL;

-- What became of each time that came. `outcome`: `sent`, `missed` (with how many in a row, up to `due_at`), or `refused`.
CREATE TABLE schedule_run (
    workspace_id TEXT NOT NULL,
    schedule_id TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    missed INTEGER NOT NULL DEFAULT 0,
    message_id TEXT,
    reason TEXT,
    ran_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, schedule_id, due_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX schedule_run_message ON schedule_run (workspace_id, message_id) WHERE message_id IS NOT NULL;
