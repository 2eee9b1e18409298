//! Names of files: where they lead, what they tell, how they are drawn, and how a file to save is named after a
//! session.

use crate::html::{self, CARD, MARKDOWN};
use crate::{engine, inputs, support::Server};
use agents::Reader as _;
use agents::claude::{FileName, Reader};
use api::messages::Entry;
use app::message_renderer::render_article;
use app::names::project_name;
use app::paths::{path_within, split_path};
use app::transcript::TranscriptOptions;
use model::{Draft, Message, MessageId, Micros, Role, SessionId};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

const OWN: &[&str] = &[
    "/home/u/.claude/projects/-home-u-x/0b7c7d1e-1111-4222-8333-444455556666.jsonl",
    "C:\\u\\.claude\\projects\\C--u-x\\0b7c7d1e-1111-4222-8333-444455556666\\subagents\\agent-a1.jsonl",
    "/home/u/.claude/projects/-home-u-x/0b7c7d1e-1111-4222-8333-444455556666/subagents/workflows/wf_9/agent-a1.jsonl",
    "/srv/lantern/.worktrees/fix/src/main.rs",
    "Fix the parser crash",
];
const WORDS: &[&str] = &[
    "..",
    "../../",
    "/",
    "\\",
    "\\\\",
    "C:",
    "c:\\",
    "projects/",
    "subagents/",
    "workflows/",
    "agent-",
    "agent-.jsonl",
    ".jsonl",
    ".meta.json",
    "/.claude/worktrees/",
    ".tar.gz",
    "Makefile",
    ".RS",
    "CON",
    "con.txt",
    ";",
    "; filename=\"x\"",
    "\r\nX: y",
    "%2F",
    "%00",
    "~",
    "\u{fffd}",
    "{\"description\":",
    "\"toolUseId\":\"c1\"}",
    "Plan:",
];

fn check(server: &Server, session: &str, input: &[u8]) {
    let name = String::from_utf8_lossy(input);
    let told = FileName::parse(&name);
    for part in [Some(told.stem), told.folder, told.session, told.agent, told.workflow].into_iter().flatten() {
        assert!(name.contains(part) && !part.contains(['/', '\\']), "{told:?}");
    }
    let mut changes = Vec::new();
    let mut reader = Reader::new(&name, Some(input));
    reader.push(b"{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"content\":\"hi\"}}\n", &mut changes);
    reader.finish(&mut changes);

    let (folder, last) = split_path(&name);
    assert_eq!(format!("{folder}{last}"), name);
    project_name(&name, &[]);
    diff::language_of(&name);
    assert_eq!(path_within(&format!("/srv/{name}"), "/srv").is_some(), !name.is_empty());
    html::check(app::visible::path(&name).as_str(), &[&["span", "b"]]);
    html::check(&card(&name), &[MARKDOWN, CARD]);

    let titled = server.with_key("PATCH", &format!("/v1/sessions/{session}"), &json!({"title": name}).to_string());
    assert!(titled.status < 500 && titled.status != 0, "{} {}", titled.status, titled.text());
    let bearer = format!("Bearer {}", server.key());
    let path = format!("/v1/sessions/{session}/export?format=markdown");
    let file = server.get(&path, &[("Authorization", &bearer)]);
    assert_eq!(file.status, 200, "{}", file.text());
    check_disposition(file.header("content-disposition").unwrap());
}

/// A name in ASCII that leads nowhere, and the whole of it in the extended form.
fn check_disposition(disposition: &str) {
    let name = disposition.strip_prefix("attachment; filename=\"").unwrap();
    let (name, rest) = name.split_once('"').unwrap();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    assert!(name.chars().all(is_plain) && !name.starts_with('.') && name.len() < 300, "{disposition}");
    let extended = if rest.is_empty() { "" } else { rest.strip_prefix("; filename*=UTF-8''").unwrap() };
    assert!(
        extended.chars().all(|c| is_plain(c) || c == '%') && !extended.to_lowercase().contains("%2f"),
        "{disposition}"
    );
}

/// A file of that name, as a message.
fn card(name: &str) -> String {
    static IDS: AtomicU64 = AtomicU64::new(0);
    let id = MessageId::parse(format!("f{}", IDS.fetch_add(1, Ordering::Relaxed))).unwrap();
    let payload = json!({"files": [{"name": name, "mime": name, "size": 1, "blob": name}]});
    let metadata = Map::from_iter([("message_type".to_owned(), Value::from("FILE")), ("payload".to_owned(), payload)]);
    let draft = Draft { metadata: Some(metadata), ..Draft::text(id, Role::User, "user", "", Micros(0)) };
    let session_id = SessionId::parse("s").unwrap();
    let options = TranscriptOptions::new(session_id.clone(), 1, Micros(0));
    let message = Message { session_id, seq: 1, revision: 1, draft, records: Vec::new(), received_at: Micros(0) };
    render_article(&Entry::made_up(message), &options)
}

#[test]
fn names() {
    let server = Server::start();
    let session = server.with_key("POST", "/v1/sessions", r#"{"agent": "bot", "id": "s1"}"#);
    assert_eq!(session.status, 201, "{}", session.text());
    let own: Vec<Vec<u8>> = OWN.iter().map(|text| text.as_bytes().to_vec()).collect();
    engine::run("names", inputs::text(&own, WORDS), |input| check(&server, "s1", input));
}
