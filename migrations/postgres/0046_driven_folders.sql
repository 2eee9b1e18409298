-- The folders of the agents that were started last, and the agents that run.
CREATE INDEX driven_started ON driven (workspace_id, started_at) WHERE folder <> '';
CREATE INDEX driven_running ON driven (workspace_id) WHERE state = 'running';
