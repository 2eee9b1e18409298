-- What statistics, budgets and the heads of sessions show, summed up as it is written. Its unit of time is a slot of 15 minutes, since
-- days begin at such times in every time zone. `step` is the size of a request's input, which its price may depend on; `priced`
-- is 1 where the agent says what a run cost, in billionths of a dollar.

-- By session and day (UTC).
CREATE TABLE session_spending (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    day BIGINT NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    step BIGINT NOT NULL,
    priced BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    input BIGINT NOT NULL,
    output BIGINT NOT NULL,
    cache_read BIGINT NOT NULL,
    cache_write BIGINT NOT NULL,
    cache_write_1h BIGINT NOT NULL,
    cost_nano BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, day, model, step, priced)
);

-- Messages that people count, by session and slot. `gap`: so many slots before, the session was active the last time; 0 if never.
CREATE TABLE session_activity (
    workspace_id TEXT COLLATE "C" NOT NULL,
    session_rid BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    messages BIGINT NOT NULL,
    gap BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, session_rid, slot)
);

-- The same in all sessions that aren't deleted. A session counts in a span of time by the slot whose `gap` leads out of it.
CREATE TABLE rollup_activity (
    workspace_id TEXT COLLATE "C" NOT NULL,
    slot BIGINT NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    gap BIGINT NOT NULL,
    sessions BIGINT NOT NULL,
    messages BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, slot, project, agent, gap)
);

-- The same spending in all sessions that aren't deleted.
CREATE TABLE rollup_spending (
    workspace_id TEXT COLLATE "C" NOT NULL,
    slot BIGINT NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    step BIGINT NOT NULL,
    priced BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    input BIGINT NOT NULL,
    output BIGINT NOT NULL,
    cache_read BIGINT NOT NULL,
    cache_write BIGINT NOT NULL,
    cache_write_1h BIGINT NOT NULL,
    cost_nano BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, slot, project, agent, model, step, priced)
);

-- How often tools were called, and how many runs each model answered, in those sessions. `kind` is `tool` or `run`.
CREATE TABLE rollup_use (
    workspace_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    slot BIGINT NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    uses BIGINT NOT NULL,
    failed BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, kind, slot, project, agent, name)
);

CREATE TEMPORARY TABLE spending_row AS
    SELECT r.workspace_id AS workspace_id, r.session_rid AS session_rid, COALESCE(q.ended_at, r.started_at) AS at,
        COALESCE(q.model, r.model, '') AS model,
        CASE WHEN q.input + q.cache_read + q.cache_write > 1000000 THEN 1000000
            WHEN q.input + q.cache_read + q.cache_write > 512000 THEN 512000
            WHEN q.input + q.cache_read + q.cache_write > 400000 THEN 400000
            WHEN q.input + q.cache_read + q.cache_write > 272000 THEN 272000
            WHEN q.input + q.cache_read + q.cache_write > 256000 THEN 256000
            WHEN q.input + q.cache_read + q.cache_write > 200000 THEN 200000
            WHEN q.input + q.cache_read + q.cache_write > 128000 THEN 128000
            WHEN q.input + q.cache_read + q.cache_write > 100000 THEN 100000
            WHEN q.input + q.cache_read + q.cache_write > 64000 THEN 64000
            WHEN q.input + q.cache_read + q.cache_write > 32000 THEN 32000
            WHEN q.input + q.cache_read + q.cache_write > 16000 THEN 16000
            ELSE 0 END AS step,
        CASE WHEN r.cost_usd > 0 THEN 1 ELSE 0 END AS priced,
        COALESCE(q.input, r.input) AS input, COALESCE(q.output, r.output) AS output,
        COALESCE(q.cache_read, r.cache_read) AS cache_read, COALESCE(q.cache_write, r.cache_write) AS cache_write,
        COALESCE(q.cache_write_1h, 0) AS cache_write_1h,
        CASE WHEN q.id IS NULL THEN r.cost_usd ELSE q.cost_usd END AS cost_usd
    FROM run r LEFT JOIN spent q ON q.workspace_id = r.workspace_id AND q.session_rid = r.session_rid AND q.run_id = r.id
    WHERE q.copied = 0 OR (q.id IS NULL AND r.copied = 0);
INSERT INTO session_spending SELECT workspace_id, session_rid, at / 86400000000, model, step, priced, COUNT(*),
    CAST(SUM(input) AS BIGINT), CAST(SUM(output) AS BIGINT), CAST(SUM(cache_read) AS BIGINT), CAST(SUM(cache_write) AS BIGINT),
    CAST(SUM(cache_write_1h) AS BIGINT),
    CAST(SUM(CAST(ROUND(1000000000 * CASE WHEN cost_usd > 1000000 THEN 1000000 WHEN cost_usd < -1000000 THEN -1000000
        ELSE COALESCE(cost_usd, 0) END) AS BIGINT)) AS BIGINT)
    FROM spending_row GROUP BY 1, 2, 3, 4, 5, 6;
INSERT INTO rollup_spending SELECT q.workspace_id, q.at / 900000000, COALESCE(s.project, ''), s.agent, q.model, q.step, q.priced,
    COUNT(*), CAST(SUM(q.input) AS BIGINT), CAST(SUM(q.output) AS BIGINT), CAST(SUM(q.cache_read) AS BIGINT),
    CAST(SUM(q.cache_write) AS BIGINT), CAST(SUM(q.cache_write_1h) AS BIGINT),
    CAST(SUM(CAST(ROUND(1000000000 * CASE WHEN q.cost_usd > 1000000 THEN 1000000 WHEN q.cost_usd < -1000000 THEN -1000000
        ELSE COALESCE(q.cost_usd, 0) END) AS BIGINT)) AS BIGINT)
    FROM spending_row q JOIN session s ON s.rid = q.session_rid WHERE s.deleted_at IS NULL GROUP BY 1, 2, 3, 4, 5, 6, 7;
DROP TABLE spending_row;
INSERT INTO session_activity SELECT workspace_id, session_rid, slot, messages,
    slot - COALESCE(LAG(slot) OVER (PARTITION BY workspace_id, session_rid ORDER BY slot), slot)
    FROM (SELECT workspace_id, session_rid, created_at / 900000000 AS slot, COUNT(*) AS messages FROM message
        WHERE copied = 0 AND display < 2 AND part <> 'replaced' GROUP BY 1, 2, 3) AS said;
INSERT INTO rollup_activity SELECT a.workspace_id, a.slot, COALESCE(s.project, ''), s.agent, a.gap, COUNT(*),
    CAST(SUM(a.messages) AS BIGINT) FROM session_activity a JOIN session s ON s.rid = a.session_rid
    WHERE s.deleted_at IS NULL GROUP BY 1, 2, 3, 4, 5;
INSERT INTO rollup_use SELECT t.workspace_id, 'tool', t.created_at / 900000000, COALESCE(s.project, ''), s.agent, t.tool, COUNT(*),
    CAST(SUM(t.failed) AS BIGINT) FROM tool_use t JOIN session s ON s.rid = t.session_rid
    WHERE s.deleted_at IS NULL GROUP BY 1, 2, 3, 4, 5, 6;
INSERT INTO rollup_use SELECT r.workspace_id, 'run', r.started_at / 900000000, COALESCE(s.project, ''), s.agent, COALESCE(r.model, ''),
    COUNT(*), 0 FROM run r JOIN session s ON s.rid = r.session_rid
    WHERE r.copied = 0 AND s.deleted_at IS NULL GROUP BY 1, 2, 3, 4, 5, 6;

-- Statistics read none of these any more. The last requests of a session are read by time.
DROP INDEX message_time;
DROP INDEX tool_use_time;
DROP INDEX spent_time;
CREATE INDEX spent_last ON spent (workspace_id, session_rid, ended_at, id);
