-- How people log in besides links. Kind `password`: `id` is the person's, `secret` an Argon2id hash as a PHC string. Kind `passkey`: `id`
-- is that of the credential (base64url), `secret` its public key and state (base64url, in two parts with a point between). Kind
-- `single_sign_on`: `id` is the provider's URL and its name of the person, with a space between; `secret` is empty.
CREATE TABLE login_method (
    workspace_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    person_id TEXT NOT NULL,
    secret TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    PRIMARY KEY (workspace_id, kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX login_method_person ON login_method (workspace_id, person_id);
