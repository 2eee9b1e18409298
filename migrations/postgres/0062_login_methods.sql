-- How people log in besides links. Kind `password`: `id` is the person's, `secret` an Argon2id hash as a PHC string. Kind `passkey`: `id`
-- is that of the credential (base64url), `secret` its public key and state (base64url, in two parts with a point between). Kind
-- `single_sign_on`: `id` is the provider's URL and its name of the person, with a space between; `secret` is empty.
CREATE TABLE login_method (
    workspace_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    person_id TEXT COLLATE "C" NOT NULL,
    secret TEXT COLLATE "C" NOT NULL,
    label TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    PRIMARY KEY (workspace_id, kind, id)
);
CREATE INDEX login_method_person ON login_method (workspace_id, person_id);
