//! The routes that aren't in the endpoint table, because their requests or responses aren't JSON.

use super::operation::describe;
use super::{Book, fixed};
use crate::account::{LogIn, LogInSecret, LogInState, PasskeyOptions};
use crate::blobs::BlobMade;
use crate::contract::{Events, ExportAudit, ExportSession, GetBlob, LogInByPasskey, LogInRoute, LogOut, UploadBlob};
use crate::endpoint::Access::{self, Agent, Local, Owner};
use crate::endpoint::Route as _;
use crate::events::{BuildEvent, FeedEvent};
use crate::imports::ImportJob;
use serde_json::{Value, json};

/// A route that isn't in the endpoint table.
struct Beside {
    name: &'static str,
    method: &'static str,
    path: &'static str,
    topic: &'static str,
    /// The callers. Empty if no credential is needed.
    access: &'static [Access],
    doc: &'static str,
    parameters: Vec<Value>,
    body: Option<Value>,
    /// Limit of the body in bytes, if there is a body.
    limit: usize,
    answers: Vec<(u16, Value)>,
    /// Events of a stream and their data.
    events: Option<Value>,
    problems: &'static [u16],
    /// The topic that selects its problems.
    problem_topic: &'static str,
}

pub fn describe_all(book: &mut Book) {
    for route in routes(book) {
        // Whoever has a log-in may end it.
        let changes = route.method != "GET" && route.name != "log_out";
        let mut operation = describe(route.name, route.doc, route.topic, route.access, changes);
        if !route.parameters.is_empty() {
            operation["parameters"] = json!(route.parameters);
        }
        if let Some(body) = route.body {
            operation["requestBody"] = body;
            operation["x-body-limit"] = json!(route.limit);
        }
        if let Some(events) = route.events {
            operation["x-events"] = events;
        }
        let always = if route.access.is_empty() { [403, 421, 500].as_slice() } else { &[401, 403, 421, 500, 503] };
        let mut statuses = [route.problems, always].concat();
        statuses.sort_unstable();
        statuses.dedup();
        let problems =
            statuses.into_iter().map(|status| (status.to_string(), fixed::problem(status, route.problem_topic)));
        let answers = route.answers.into_iter().map(|(status, answer)| (status.to_string(), answer));
        operation["responses"] = answers.chain(problems).collect();
        book.put(route.path, route.method, operation);
    }
}

fn routes(book: &mut Book) -> Vec<Beside> {
    let log_in = book.inputs.subschema_for::<LogIn>();
    let secret = json!(book.reply::<LogInSecret>());
    let state = json!(book.reply::<LogInState>());
    let options = json!(book.reply::<PasskeyOptions>());
    let made = json!(book.reply::<BlobMade>());
    let events = json!({
        "build": book.reply::<BuildEvent>(),
        "feed": book.reply::<FeedEvent>(),
        "import": book.reply::<ImportJob>(),
        "bye": { "type": "object" },
    });
    let session = parameter("session", "path", "Our id, the agent's own id, or a unique prefix of either.");
    let binary = || json!({ "type": "string", "format": "binary" });
    vec![
        Beside {
            name: "events",
            method: "GET",
            path: Events::PATH,
            topic: "Events",
            access: &[Owner, Local, Agent],
            doc: "Streams changes as server-sent events with JSON data. `build` comes first. `feed` has the position of a change and \
                the session's current counts; its id is a cursor, and `GET /v1/sessions/{session}/messages?from=..&to=..` \
                returns the messages. `import` has the progress of an import, for people. `bye` means that the server stops \
                and the client should reconnect.",
            parameters: vec![
                parameter("after", "query", "A cursor: `id` of the last received event, or `cursor` of any reply."),
                parameter(
                    "session",
                    "query",
                    "Only events of this session. Required for an agent's key without the scope `read_all`, and must be its own.",
                ),
                parameter(
                    "growth",
                    "query",
                    "For pages, not for agents' keys: a streaming text causes no `feed` events. Instead, `growth` events have \
                     the added text as HTML. The sessions to stream, at most 64, separated by commas, or `none`.",
                ),
                one_of("until", &["now"], "`now`: the stream ends after the existing events."),
                parameter("Last-Event-ID", "header", "Like `after`; it takes precedence."),
            ],
            body: None,
            limit: 0,
            answers: vec![(200, content("A stream", "text/event-stream", json!({ "type": "string" })))],
            events: Some(events),
            problems: &[400, 404, 409, 410, 429],
            problem_topic: "events",
        },
        Beside {
            name: "export_session",
            method: "GET",
            path: ExportSession::PATH,
            topic: "Files",
            access: &[Owner, Local, Agent],
            doc: "Exports a session as a file. `original` is the imported file, byte for byte. `jsonl` is the complete session with its \
                sub-agents, and can be imported again. `json` is the session with its messages. `anthropic`, `openai` and \
                `gemini` are its messages as the body of a request to that API.",
            parameters: vec![
                session,
                json!({ "name": "format", "in": "query", "required": true, "example": "json",
                    "schema": { "type": "string", "enum": ["original", "jsonl", "json", "html", "markdown", "anthropic", "openai", "gemini"] } }),
                parameter(
                    "source",
                    "query",
                    "Id of the file, for a session from several files; its main file if absent.",
                ),
                one_of("redact", &["0", "1"], "`1`: masks keys, tokens, passwords, e-mail addresses and home folders."),
                parameter("mask", "query", "A regular expression of further text to mask. May be repeated."),
            ],
            body: None,
            limit: 0,
            answers: vec![(
                200,
                json!({
                    "description": "A file to save",
                    "content": {
                        "application/x-ndjson": { "schema": binary() },
                        "application/json": { "schema": { "type": "object" } },
                        "text/html": { "schema": { "type": "string" } },
                        "text/markdown": { "schema": { "type": "string" } },
                    },
                }),
            )],
            events: None,
            problems: &[400, 404, 409],
            problem_topic: "export",
        },
        Beside {
            name: "export_audit",
            method: "GET",
            path: ExportAudit::PATH,
            topic: "Server",
            access: &[Owner, Local],
            doc: "Exports the audit log, oldest entry first, one per line. `hash` is the SHA-256 of the line without `hash`. The \
                last entry records the export itself.",
            parameters: Vec::new(),
            body: None,
            limit: 0,
            answers: vec![(200, content("A file to save", "application/x-ndjson", binary()))],
            events: None,
            problems: &[],
            problem_topic: "account",
        },
        Beside {
            name: "upload_blob",
            method: "POST",
            path: UploadBlob::PATH,
            topic: "Files",
            access: &[Owner, Local, Agent],
            doc: "Uploads a file of up to 64 MiB. The reply has its SHA-256, to which a FILE message refers as `blob`. Identical \
                files are stored once; a repeated upload returns 200.",
            parameters: Vec::new(),
            body: Some(json!({ "required": true, "content": { "*/*": { "schema": binary() } } })),
            limit: crate::blobs::MOST_BYTES,
            answers: vec![
                (200, content("Already stored", "application/json", made.clone())),
                (201, content("Created", "application/json", made)),
            ],
            events: None,
            problems: &[400, 408, 413, 415, 429],
            problem_topic: "blobs",
        },
        Beside {
            name: "get_blob",
            method: "GET",
            path: GetBlob::PATH,
            topic: "Files",
            access: &[Owner, Local, Agent],
            doc: "Downloads a blob, or a range of it. Types that browsers show without executing code are served inline, all others as \
                attachments. An agent can read its own uploads, and blobs of its own sessions.",
            parameters: vec![
                parameter("sha256", "path", "`sha256:` and the digest in hex, as in messages."),
                parameter("Range", "header", "`bytes=` and one range. Several ranges return the whole file."),
            ],
            body: None,
            limit: 0,
            answers: vec![
                (
                    200,
                    json!({
                        "description": "The bytes",
                        "content": {
                            "application/octet-stream": { "schema": binary() },
                            "image/*": { "schema": binary() },
                            "audio/*": { "schema": binary() },
                            "video/*": { "schema": binary() },
                            "application/pdf": { "schema": binary() },
                            "text/plain": { "schema": binary() },
                        },
                    }),
                ),
                (206, content("The requested range", "*/*", binary())),
                (416, json!({ "description": "The range is outside the file; `Content-Range` has the size" })),
            ],
            events: None,
            problems: &[400, 404],
            problem_topic: "blobs",
        },
        Beside {
            name: "log_in_state",
            method: "GET",
            path: LogInRoute::PATH,
            topic: "Server",
            access: &[],
            doc: "Returns whether the cookie is valid, and whether the request can make changes.",
            parameters: Vec::new(),
            body: None,
            limit: 0,
            answers: vec![(200, content("Done", "application/json", state))],
            events: None,
            problems: &[],
            problem_topic: "login",
        },
        Beside {
            name: "log_in",
            method: "POST",
            path: LogInRoute::PATH,
            topic: "Server",
            access: &[],
            doc: "Logs in with a one-time code, a password or a passkey. The response sets the log-in's cookie. Requests that \
                  change something need the `secret` of the reply too.",
            parameters: Vec::new(),
            body: Some(json!({ "required": true, "content": { "application/json": { "schema": log_in } } })),
            limit: 8 * 1024,
            answers: vec![(200, content("Logged in", "application/json", secret))],
            events: None,
            problems: &[400, 401, 413, 415, 429],
            problem_topic: "login",
        },
        Beside {
            name: "passkey_options",
            method: "POST",
            path: LogInByPasskey::PATH,
            topic: "Server",
            access: &[],
            doc: "Returns the options with which a browser logs in by a passkey. They are valid for five minutes, once.",
            parameters: Vec::new(),
            body: None,
            limit: 0,
            answers: vec![(201, content("The options", "application/json", options))],
            events: None,
            problems: &[404, 429],
            problem_topic: "login",
        },
        Beside {
            name: "log_out",
            method: "POST",
            path: LogOut::PATH,
            topic: "Server",
            access: &[Owner, Local, Agent],
            doc: "Logs out. Only the cookie is required. Streams of the log-in end within a second.",
            parameters: Vec::new(),
            body: None,
            limit: 0,
            answers: vec![(200, content("Logged out", "application/json", empty()))],
            events: None,
            problems: &[],
            problem_topic: "login",
        },
        Beside {
            name: "metrics",
            method: "GET",
            path: "/metrics",
            topic: "Server",
            access: &[Owner, Local],
            doc: "Returns metrics in the Prometheus text format: requests, writes, imports, streams and memory.",
            parameters: Vec::new(),
            body: None,
            limit: 0,
            answers: vec![(200, content("The metrics", "text/plain", json!({ "type": "string" })))],
            events: None,
            problems: &[],
            problem_topic: "account",
        },
    ]
}

fn empty() -> Value {
    json!({ "type": "object" })
}

fn parameter(name: &str, place: &str, about: &str) -> Value {
    let required = place == "path";
    json!({ "name": name, "in": place, "required": required, "description": about, "schema": { "type": "string" } })
}

fn one_of(name: &str, words: &[&str], about: &str) -> Value {
    let schema = json!({ "type": "string", "enum": words });
    json!({ "name": name, "in": "query", "required": false, "description": about, "schema": schema })
}

fn content(about: &str, kind: &str, schema: Value) -> Value {
    json!({ "description": about, "content": { kind: { "schema": schema } } })
}
