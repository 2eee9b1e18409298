//! The routes that carry something else than JSON both ways, so that the table of endpoints can't hold them.

use super::operation::describe;
use super::{Book, fixed};
use crate::account::{LogIn, LogInSecret, LogInState};
use crate::blobs::BlobMade;
use crate::contract::{Events, ExportAudit, ExportSession, GetBlob, LogInRoute, LogOut, UploadBlob};
use crate::endpoint::Access::{self, Agent, Local, Owner};
use crate::endpoint::Route as _;
use crate::events::{BuildEvent, FeedEvent};
use crate::imports::ImportJob;
use serde_json::{Value, json};

/// One such route.
struct Beside {
    name: &'static str,
    method: &'static str,
    path: &'static str,
    topic: &'static str,
    /// Empty: everybody.
    access: &'static [Access],
    doc: &'static str,
    parameters: Vec<Value>,
    body: Option<Value>,
    /// The largest body in bytes, where there is one.
    limit: usize,
    answers: Vec<(u16, Value)>,
    /// Of a stream, its events and their data.
    events: Option<Value>,
    problems: &'static [u16],
    /// The topic whose problems these are.
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
    let made = json!(book.reply::<BlobMade>());
    let events = json!({
        "build": book.reply::<BuildEvent>(),
        "feed": book.reply::<FeedEvent>(),
        "import": book.reply::<ImportJob>(),
        "bye": { "type": "object" },
    });
    let session = parameter("session", "path", "Our id, the agent's own id, or a unique beginning of either.");
    let binary = || json!({ "type": "string", "format": "binary" });
    vec![
        Beside {
            name: "events",
            method: "GET",
            path: Events::PATH,
            topic: "Events",
            access: &[Owner, Local, Agent],
            doc: "Follow what changes, as server-sent events. The data of each is JSON. `build` comes first. `feed` says \
                where something changed and what a session's figures are now: its id is a cursor, and what it names is read \
                by `GET /v1/sessions/{session}/messages?from=..&to=..`. `import` tells people how imports go, `bye` that the \
                server ends and the client is to come again.",
            parameters: vec![
                parameter(
                    "after",
                    "query",
                    "A cursor: `id` of the last event that was seen, or `cursor` of any reply.",
                ),
                parameter(
                    "session",
                    "query",
                    "Of this session only. An agent's key must name one of its own, unless it has the scope `read_all`.",
                ),
                parameter(
                    "growth",
                    "query",
                    "For pages, not for an agent's key: what grows while it is being written isn't told as a change. Of these \
                     sessions, 64 at most with commas between them, or `none`, `growth` says in HTML how a text goes on.",
                ),
                one_of("until", &["now"], "`now`: ends with what is there already."),
                parameter("Last-Event-ID", "header", "As `after`, and wins over it."),
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
            doc: "Take a session away. `original` is the imported file, byte for byte; `jsonl` the session and its sub-agents with \
                everything, which can be imported again; `json` the session with all of its messages; `anthropic`, `openai` and `gemini` \
                its messages as the body of a request to that API.",
            parameters: vec![
                session,
                json!({ "name": "format", "in": "query", "required": true, "example": "json",
                    "schema": { "type": "string", "enum": ["original", "jsonl", "json", "html", "markdown", "anthropic", "openai", "gemini"] } }),
                parameter("source", "query", "Of a session from several files: which one. Its own file if absent."),
                one_of(
                    "redact",
                    &["0", "1"],
                    "`1`: with keys, tokens, passwords, e-mail addresses and home folders masked.",
                ),
                parameter("mask", "query", "A regular expression to mask, too. May be repeated."),
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
            doc: "Export the audit log, oldest entry first, one a line. A line without `hash` is what that is the SHA-256 of. The \
                export is the last entry.",
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
            doc: "Upload the bytes of a file, up to 64 MiB. The answer names them by their SHA-256; a FILE message then \
                refers to them as `blob`. The same bytes are kept once, and answered again with 200.",
            parameters: Vec::new(),
            body: Some(json!({ "required": true, "content": { "*/*": { "schema": binary() } } })),
            limit: crate::blobs::MOST_BYTES,
            answers: vec![
                (200, content("There already", "application/json", made.clone())),
                (201, content("Made", "application/json", made)),
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
            doc: "The bytes of a blob, or the range of them that `Range` asks for. What browsers show without running it comes \
                as such, all else as a file to save. An agent reads what it uploaded and what its own sessions refer to.",
            parameters: vec![
                parameter("sha256", "path", "`sha256:` and the digest in hex, as messages name it."),
                parameter("Range", "header", "`bytes=` and one range. Several are answered with all bytes."),
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
                (206, content("The range", "*/*", binary())),
                (416, json!({ "description": "There is no such range; `Content-Range` has the size" })),
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
            doc: "Whether the cookie holds, and whether the request shows what a change takes.",
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
            doc: "Log in with a one-time code. The cookie of the answer is the log-in; what changes something takes the `secret` of \
                  its body too.",
            parameters: Vec::new(),
            body: Some(json!({ "required": true, "content": { "application/json": { "schema": log_in } } })),
            limit: 1024,
            answers: vec![(200, content("Logged in", "application/json", secret))],
            events: None,
            problems: &[400, 401, 413, 415, 429],
            problem_topic: "login",
        },
        Beside {
            name: "log_out",
            method: "POST",
            path: LogOut::PATH,
            topic: "Server",
            access: &[Owner, Local, Agent],
            doc: "End the log-in, by its cookie alone. Its streams end within a second.",
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
            doc: "Return metrics in the text format of Prometheus: requests, writes, imports, streams, memory.",
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
