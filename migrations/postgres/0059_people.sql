-- People beside the owner of the machine, whose id is `owner` and who has a row once they have a name. `name_key` is the name in
-- lower case. Those who were removed stay, for their names.
CREATE TABLE person (
    workspace_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    added_at BIGINT NOT NULL,
    removed_at BIGINT,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX person_name ON person (workspace_id, name_key) WHERE removed_at IS NULL;
-- Links with which people log in for the first time, by the hash of their secret in hex: one for each person at most.
CREATE TABLE invitation (
    workspace_id TEXT COLLATE "C" NOT NULL,
    person_id TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, person_id)
);
-- Who sees the sessions of a project. One without rows is seen by all. Any other has a row of `owner`, beside those of people.
CREATE TABLE project_person (
    workspace_id TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    person_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, project, person_id)
);
-- Who logged in.
ALTER TABLE login ADD COLUMN person_id TEXT COLLATE "C" NOT NULL DEFAULT 'owner';
