//! What holds for all endpoints: credentials, headers, problems, and the words for them.

use crate::ProblemCode;
use crate::endpoint::Access;
use serde_json::{Value, json};

/// The topics, in the order of the reference.
const TOPICS: [(&str, &str); 7] = [
    ("Sessions", "One conversation with one agent: found, made, ended, put away, deleted."),
    (
        "Messages",
        "What agents and people say in a session, in the order of `seq`, which is gap-free and never changes.",
    ),
    ("Events", "What changed, as it happens: positions, never content."),
    ("Search and statistics", "All history: by words, and by numbers."),
    ("Files", "Bytes by their SHA-256, and what leaves Verbatim as it came."),
    ("Folders and imports", "Which transcripts on this machine are read."),
    ("Keys", "What agents show instead of a log-in."),
];

const ABOUT: &str = "Everything that coding agents see, say and do, as typed messages. All requests and replies are JSON \
    in UTF-8; times are microseconds since 1970. A request that is refused is answered by a problem (RFC 9457) with a \
    stable `code`; a field at fault is named by its JSON pointer or parameter. Unknown fields of a request are refused, \
    unknown fields of a reply are to be passed over, and messages of unknown types are kept and given back unchanged. \
    Programs that use the Python package `omnara` (1.3.16 to 1.7.0) work with this server's address and a key of its own, \
    which has the scopes `post`, `read` and `mirror` unless others are asked for: their calls are answered under `/api/v1`.";

/// The document without its paths and schemas.
pub fn frame(problem: Value) -> Value {
    let mut tags: Vec<Value> =
        TOPICS.iter().map(|(name, about)| json!({ "name": name, "description": about })).collect();
    tags.push(json!({ "name": "Server", "description": "Who is asking, log-in, and how the server is set up." }));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Verbatim",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "x-problems": problems(),
        "servers": [{ "url": "/" }],
        "tags": tags,
        "paths": {},
        "components": {
            "schemas": {},
            "securitySchemes": {
                "login": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "verbatim_7117",
                    "description": "A person's log-in. The number is the server's port. A request that changes something \
                        also says its `Origin`, as browsers do, and shows the log-in's `secret` in the header \
                        `x-verbatim-secret`.",
                },
                "login_secret": {
                    "type": "apiKey",
                    "in": "header",
                    "name": crate::account::SECRET_HEADER,
                    "description": "The `secret` of the answer to the log-in. Cookies know no ports: other servers of the \
                        machine get the log-in's, and with it alone nothing is changed.",
                },
                "machine": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "What commands of the server's own machine read from its credential file: `key` in \
                        `server.json`, in the data directory that `verbatim doctor` names.",
                },
                "agent_key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A key of `POST /v1/keys`, `vbt_<id>_<secret>_<check>`: it does what its scopes say \
                        (`post` and `read` in its own sessions, `read_all`, `mirror`), and never decides. The sessions \
                        that it makes stay with it: no other key goes on with them.",
                },
            },
            "parameters": {
                "IfMatch": {
                    "name": "If-Match",
                    "in": "header",
                    "required": false,
                    "description": "The `revision` that the writer knows. Another one is answered by 412 with the \
                        message as it is.",
                    "schema": { "type": "integer", "format": "int32" },
                },
            },
            "headers": {
                "IdempotentReplayed": {
                    "description": "`true`: the same request came before, and is answered again.",
                    "schema": { "type": "string", "enum": ["true"] },
                },
                "RetryAfter": {
                    "description": "Seconds after which a repeat may succeed.",
                    "schema": { "type": "integer", "minimum": 0 },
                },
            },
            "responses": {
                "Problem": { "description": "Refused", "content": { "application/problem+json": { "schema": problem } } },
            },
        },
    })
}

/// A refusal of an endpoint of a topic.
pub fn problem(status: u16, topic: &str) -> Value {
    let schema = json!({ "$ref": "#/components/schemas/Problem" });
    let content = json!({ "application/problem+json": { "schema": schema } });
    let is_one =
        |code: &&ProblemCode| code.status() == status && (code.topics().is_empty() || code.topics().contains(&topic));
    let meanings = ProblemCode::ALL.iter().filter(is_one).map(|code| meaning(*code));
    let mut answer = json!({ "description": meanings.collect::<Vec<_>>().join(" "), "content": content });
    if matches!(status, 429 | 503) {
        answer["headers"] = json!({ "Retry-After": { "$ref": "#/components/headers/RetryAfter" } });
    }
    answer
}

/// A problem by its code and what it means.
fn meaning(code: ProblemCode) -> String {
    format!("`{}`: {}", code.as_str(), code.meaning().trim())
}

/// The whole table of problems, also those of addresses that aren't described here.
fn problems() -> Vec<Value> {
    let row = |code: &ProblemCode| json!({ "code": code.as_str(), "status": code.status(), "meaning": code.meaning().trim() });
    ProblemCode::ALL.iter().map(row).collect()
}

/// What a status says that is no refusal.
pub fn success(status: u16) -> &'static str {
    match status {
        201 => "Created",
        202 => "Begun",
        _ => "Done",
    }
}

pub fn who(access: Access) -> &'static str {
    match access {
        Access::Owner => "owner",
        Access::Local => "local",
        Access::Agent => "agent",
    }
}

/// What a request shows. Of a person, what changes something shows both.
pub fn security(access: Access, changes: bool) -> Value {
    match access {
        Access::Owner if changes => json!({ "login": [], "login_secret": [] }),
        Access::Owner => json!({ "login": [] }),
        Access::Local => json!({ "machine": [] }),
        Access::Agent => json!({ "agent_key": [] }),
    }
}
