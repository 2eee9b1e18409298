//! What holds for all endpoints: credentials, headers, problems, and the words for them.

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

/// A refusal.
pub fn problem(status: u16) -> Value {
    let schema = json!({ "$ref": "#/components/schemas/Problem" });
    let content = json!({ "application/problem+json": { "schema": schema } });
    let mut answer = json!({ "description": meaning(status), "content": content });
    if matches!(status, 429 | 503) {
        answer["headers"] = json!({ "Retry-After": { "$ref": "#/components/headers/RetryAfter" } });
    }
    answer
}

pub fn meaning(status: u16) -> &'static str {
    match status {
        200 => "Done",
        201 => "Made",
        202 => "Begun",
        400 => {
            "A field, a parameter or the whole can't be read; `field` says where (`invalid_field`, `invalid_body`, \
            `invalid_query`, `invalid_path`, `conflicting_fields`, `broken_body`, `too_deep`, `no_revisions`; of a file \
            `empty_blob`; of what a channel sends `invalid_json`; of the Model Context Protocol `no_session`; of metadata `metadata_not_an_object`, `message_type_invalid`, `version_invalid`, \
            `payload_not_an_object`, `payload_invalid`, `extra_invalid`, `extra_reserved`)"
        }
        401 => {
            "No credential (`not_logged_in`), or one that doesn't hold (`key_refused`; while it waited, `revoked`; of a \
            log-in code, `invalid_code`; of what a channel sends, `bad_signature`)"
        }
        403 => {
            "This credential may not do that (`forbidden`, `scope_missing`, `role_forbidden`, `memory_forbidden`, \
            `people_only`), the message or the message type is another one's (`not_yours`), only a person decides (`not_yours_to_decide`), \
            nobody would see the question (`cannot_ask`), a channel doesn't know who speaks (`stranger`), the key has posted the most that it may (`quota_reached`), a file has what the host said (`for_people`), a log-in \
            changes something without its secret (`secret_missing`), or the request comes from another site \
            (`foreign_origin`)"
        }
        404 => {
            "There is no such thing, or it isn't the caller's (`not_found`); the session was deleted (`session_deleted`); \
            the session wasn't imported (`no_source`)"
        }
        405 => "The address doesn't answer to that method; `Allow` tells to which (`method_not_allowed`)",
        408 => "The body comes too slowly (`too_slow`)",
        409 => {
            "It goes against what is there: another use of the id (`id_conflict`), a name that is another one's \
            (`session_taken`) or of a deleted session (`session_deleted`), a state that doesn't allow it \
            (`status_conflict`, `retracted`), somebody who was quicker (`decided`, `answered`, `stale`), an ambiguous name \
            (`ambiguous`), a request that can only be denied (`no_content`), a message that asks for no decision (`no_approval`) or is none (`not_a_decision`), a message type that \
            a file declares (`declared_by_file`), or as many of them as may be declared (`too_many_types`), a run that is open \
            (`run_open`) or has ended otherwise (`run_ended`), an agent that doesn't wait for the answer (`nobody_waits`), runs \
            already (`agent_runs`), is being started (`agent_starts`, `start_cancelled`), outlived its server (`agent_left`) or runs no more (`agent_ended`), wasn't started here (`not_driven`), takes no prompt of a schedule (`nobody_takes_it`), or writes to a folder that isn't \
            followed (`not_followed`), an archive of a session that is here (`archive`), as many channels as there may be \
            (`too_many_channels`), vectors without an endpoint that makes them (`no_endpoint`), one that has no address to test (`nothing_to_test`) or didn't take the test (`channel_failed`), an answer that could be to several \
            requests (`several_open`) or was written before the request was shown (`came_after`), or a channel's event that came before (`repeated`)"
        }
        410 => "The cursor is of another history, as after a database was restored: read anew (`cursor_gone`)",
        412 => {
            "The message has changed; `current` holds it (`revision_changed`). What it asks for has changed since it was \
            shown (`changed`)"
        }
        413 => {
            "The body is larger than `x-body-limit` (`too_large`), has more than 50,000 JSON values and keys \
            (`too_many_values`), or the text of the message would be longer than 16 MiB (`too_long`)"
        }
        415 => "The body's type isn't the one that is asked for (`not_json`), or it is compressed (`encoded`)",
        422 => {
            "It can be read, but there is nothing to be done with it (`nothing_to_import`), a list in it has too many \
            items (`too_many`), or it is no answer to the request (`unclear`)"
        }
        421 => "This server doesn't answer to that host name (`wrong_host`)",
        429 => {
            "Too many at once (`too_fast`, `too_many_streams`, `too_many_waits`, `too_many_connections`, \
            `too_many_attempts`, `uploads_busy`)"
        }
        431 => "More than 100 headers, or a head of more than 16 KiB (`head_too_large`)",
        502 => "The agent's program can't be started, or ended at once (`agent_not_started`)",
        503 => {
            "Too much to do, or the server ends; nothing was written (`busy`, `bodies_busy`, `stopping`). Or the channel is \
            paused (`channel_paused`). Or it took too \
            long to compute (`too_slow`). Or the database can't be used \
            (`database_locked`, `database_unreachable`, `database_read_only`, `database_newer`, `database_damaged`, `read_only`, \
            `disk_failed`)"
        }
        507 => "The disk is full; nothing was written (`disk_full`)",
        _ => {
            "Something went wrong on the server; its log has the details (`internal`). Or what is asked for is damaged or lost \
            (`message_damaged`, `record_damaged`, `record_lost`, `blob_damaged`)"
        }
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
