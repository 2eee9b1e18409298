-- People beside the owner of the machine, whose id is `owner` and who has a row once they have a name. `name_key` is the name in
-- lower case. Those who were removed stay, for their names.
CREATE TABLE person (
    workspace_id TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    role TEXT NOT NULL,
    added_at INTEGER NOT NULL,
    removed_at INTEGER,
    PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX person_name ON person (workspace_id, name_key) WHERE removed_at IS NULL;
-- Links with which people log in for the first time, by the hash of their secret in hex: one for each person at most.
CREATE TABLE invitation (
    workspace_id TEXT NOT NULL,
    person_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, person_id)
) STRICT, WITHOUT ROWID;
-- Who sees the sessions of a project. One without rows is seen by all. Any other has a row of `owner`, beside those of people.
CREATE TABLE project_person (
    workspace_id TEXT NOT NULL,
    project TEXT NOT NULL,
    person_id TEXT NOT NULL,
    PRIMARY KEY (workspace_id, project, person_id)
) STRICT, WITHOUT ROWID;
-- Who logged in.
ALTER TABLE login ADD COLUMN person_id TEXT NOT NULL DEFAULT 'owner';
