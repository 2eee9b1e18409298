//! Parts of the document that are the same for all endpoints: credentials, headers and problems.

use crate::ProblemCode;
use crate::endpoint::Access;
use serde_json::{Value, json};

/// The topics, in the order of the reference.
const TOPICS: [(&str, &str); 7] = [
    ("Sessions", "Conversations with one agent each: list, create, end, archive, delete."),
    (
        "Messages",
        "Messages of agents and people in a session, in the order of `seq`, which has no gaps and never changes.",
    ),
    ("Events", "A stream of changes: positions, never content."),
    ("Search and statistics", "Full-text search and statistics over all history."),
    ("Files", "Uploaded files by their SHA-256, and exports."),
    ("Folders and imports", "The transcripts on this machine that are read."),
    ("Keys", "Credentials of agents."),
];

const ABOUT: &str = "Everything that coding agents see, say and do, as typed messages. All requests and replies are JSON \
    in UTF-8; times are microseconds since 1970. Errors are problems (RFC 9457) with a stable `code`; an invalid field is named by \
    its JSON pointer or parameter. Requests with unknown fields are refused. Clients must ignore unknown fields of \
    replies. Messages of unknown types are stored and returned unchanged. \
    Programs that use the Python package `omnara` (1.3.16 to 1.7.0) work with this server's address and one of its keys, which has the \
    scopes `post`, `read` and `mirror` by default. Their endpoints are under `/api/v1`.";

/// Returns the document without its paths and schemas.
pub fn frame(problem: Value) -> Value {
    let mut tags: Vec<Value> =
        TOPICS.iter().map(|(name, about)| json!({ "name": name, "description": about })).collect();
    tags.push(json!({ "name": "Server", "description": "The caller, log-ins, and the server's settings." }));
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
                        also needs the `Origin` header, which browsers send, and the log-in's `secret` in the \
                        `x-verbatim-secret` header.",
                },
                "login_secret": {
                    "type": "apiKey",
                    "in": "header",
                    "name": crate::account::SECRET_HEADER,
                    "description": "The `secret` from the reply to the log-in. Browsers send cookies to all ports of a \
                        host; without the secret, another server of the machine can't make changes with the cookie.",
                },
                "machine": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The key for commands on the server's machine: `key` in `server.json`, in the data \
                        directory that `verbatim doctor` prints.",
                },
                "agent_key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A key of `POST /v1/keys`, `vbt_<id>_<secret>_<check>`: its scopes (`post` and `read` in its own \
                        sessions, `read_all`, `mirror`) are its permissions, and it can never decide. The sessions \
                        that it creates belong to it: no other key can continue them.",
                },
            },
            "parameters": {
                "IfMatch": {
                    "name": "If-Match",
                    "in": "header",
                    "required": false,
                    "description": "The `revision` that the caller knows. If it differs, the response is 412 with the \
                        current message.",
                    "schema": { "type": "integer", "format": "int32" },
                },
            },
            "headers": {
                "IdempotentReplayed": {
                    "description": "`true`: the request was repeated, and the response is that of the first one.",
                    "schema": { "type": "string", "enum": ["true"] },
                },
                "RetryAfter": {
                    "description": "Seconds after which a retry may succeed.",
                    "schema": { "type": "integer", "minimum": 0 },
                },
            },
            "responses": {
                "Problem": { "description": "An error", "content": { "application/problem+json": { "schema": problem } } },
            },
        },
    })
}

/// Returns the error response of an endpoint of a topic.
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

/// Returns the code of a problem and its meaning.
fn meaning(code: ProblemCode) -> String {
    format!("`{}`: {}", code.as_str(), code.meaning().trim())
}

/// Returns the whole table of problems, including those of routes that aren't described here.
fn problems() -> Vec<Value> {
    let row = |code: &ProblemCode| json!({ "code": code.as_str(), "status": code.status(), "meaning": code.meaning().trim() });
    ProblemCode::ALL.iter().map(row).collect()
}

/// Returns the description of a successful status.
pub fn success(status: u16) -> &'static str {
    match status {
        201 => "Created",
        202 => "Accepted",
        _ => "Done",
    }
}

pub fn who(access: Access) -> &'static str {
    match access {
        Access::Viewer => "viewer",
        Access::Member => "member",
        Access::Owner => "owner",
        Access::Local => "local",
        Access::Agent => "agent",
    }
}

/// Returns the credentials of a request. A person's request that makes changes needs both.
pub fn security(access: Access, changes: bool) -> Value {
    match access {
        Access::Viewer | Access::Member | Access::Owner if changes => json!({ "login": [], "login_secret": [] }),
        Access::Viewer | Access::Member | Access::Owner => json!({ "login": [] }),
        Access::Local => json!({ "machine": [] }),
        Access::Agent => json!({ "agent_key": [] }),
    }
}
