//! Message bodies: each is posted once, then asked for in the ways that show it.
use anyhow::Result;
use serde_json::{Value, json};

use super::{
    Lab,
    stage::{Goal, Stage},
};

/// One message body of at most 16 MiB.
pub struct Post {
    pub name: &'static str,
    /// The JSON of the request.
    body: fn() -> String,
    /// Where it is shown; `{}` is the session.
    shown: &'static [&'static str],
}

const PAGE: &[&str] = &["/s/{}"];
const EDITS: &[&str] = &[
    "/s/{}",
    "/s/{}/changes",
    "/v1/sessions/{}/changes",
    "/v1/sessions/{}/changes/net",
    "/fragments/sessions/{}/panel?tab=changes",
];
const VALUES: &[&str] = &["/s/{}", "/v1/sessions/{}/messages", "/v1/sessions/{}/export?format=html"];
const MARKDOWN: &[&str] = &["/s/{}", "/v1/sessions/{}/export?format=markdown"];

pub const POSTS: &[Post] = &[
    Post { name: "CODE_EDIT, 100,000 lines of 50 kinds", body: || shuffled_lines(100_000), shown: EDITS },
    Post { name: "CODE_EDIT, 400,000 lines of 50 kinds", body: || shuffled_lines(400_000), shown: EDITS },
    Post { name: "CODE_EDIT, 80,000 files", body: many_files, shown: EDITS },
    Post { name: "CODE_EDIT, one line of 4 MB", body: long_line, shown: EDITS },
    Post { name: "16 MB of small objects, known type", body: || values("TOOL_CALL", "{\"\":0}"), shown: VALUES },
    Post { name: "16 MB of small objects, unknown type", body: || values("BOMB", "{\"\":0}"), shown: VALUES },
    Post { name: "16 MB of zeros, unknown type", body: || values("BOMB", "0"), shown: VALUES },
    Post { name: "16 MB of keys, unknown type", body: many_keys, shown: VALUES },
    Post { name: "JSON, 100,000 levels", body: || nested(100_000), shown: PAGE },
    Post { name: "JSON, 60 levels, 100,000 times", body: deep_and_wide, shown: VALUES },
    Post { name: "TODO of 100,000 items", body: many_todos, shown: &["/s/{}", "/v1/sessions/{}/todos", "/sessions"] },
    Post { name: "ANSI flood, 8 MB", body: || output("\u{1b}[1;38;5;9mx\u{1b}[0m", 8 << 20), shown: PAGE },
    Post { name: "ANSI cursor flood, 8 MB", body: || output("\u{1b}[999;999Hx\u{1b}[2K\r\n", 8 << 20), shown: PAGE },
    Post { name: "carriage returns, 8 MB", body: || output("progress\r", 8 << 20), shown: PAGE },
    Post { name: "markdown: emphasis that never closes", body: || text("*a **a ", 1 << 20), shown: MARKDOWN },
    Post { name: "markdown: brackets that never close", body: || text("[", 1 << 20), shown: MARKDOWN },
    Post { name: "markdown: images that never close", body: || text("![a](", 1 << 20), shown: MARKDOWN },
    Post { name: "markdown: nested quotes", body: || text("> ", 1 << 20), shown: MARKDOWN },
    Post { name: "markdown: nested lists", body: nested_lists, shown: MARKDOWN },
    Post { name: "markdown: backticks of all lengths", body: backticks, shown: MARKDOWN },
    Post { name: "markdown: HTML that never closes", body: || text("<!--<?<![CDATA[<a ", 1 << 20), shown: MARKDOWN },
    Post { name: "markdown: a table of 1,000,000 cells", body: wide_table, shown: MARKDOWN },
    Post { name: "markdown: 100,000 link definitions", body: link_definitions, shown: MARKDOWN },
    Post { name: "markdown: 500,000 paragraphs", body: || text("a\n\n", 3 << 19), shown: MARKDOWN },
];

/// Posts it, and asks for each page that shows it.
pub fn run(post: &Post, lab: &mut Lab) -> Result<()> {
    let mut stage = Stage::new(lab, &[])?;
    let body = (post.body)();
    let name = format!("{}: post", post.name);
    let goes_on = stage.step(&name, Goal::Request, async |target| {
        let target_url = format!("/v1/sessions/{}/messages", target.session);
        Ok(target.agent.post(&target_url, body.as_bytes()).await?.status.to_string())
    })?;
    if !goes_on || !stage.last_status().starts_with("20") {
        return Ok(());
    }
    for shown in post.shown {
        let name = format!("{}: {}", post.name, shown.replace("{}", "S"));
        stage.step(&name, Goal::Request, async |target| {
            Ok(target.machine.get(&shown.replace("{}", &target.session)).await?.status.to_string())
        })?;
    }
    Ok(())
}

/// A message with an envelope.
fn envelope(message_type: &str, payload: &str) -> String {
    format!(r#"{{"message_metadata":{{"message_type":"{message_type}","version":1,"payload":{payload}}}}}"#)
}

/// A markdown message of one repeated piece.
fn text(piece: &str, bytes: usize) -> String {
    json!({ "content": piece.repeat(bytes / piece.len()) }).to_string()
}

/// A tool call with such an output.
fn output(piece: &str, bytes: usize) -> String {
    let payload =
        json!({ "tool_name": "Bash", "input": { "command": "cat" }, "output": piece.repeat(bytes / piece.len()) });
    envelope("TOOL_CALL", &payload.to_string())
}

fn edits(edits: &Value) -> String {
    envelope("CODE_EDIT", &json!({ "edits": edits }).to_string())
}

/// The same lines in two orders: each line has many places to which it could belong.
pub fn shuffled_lines(count: u64) -> String {
    let lines = |seed: u64| {
        let mut state = seed;
        let mut text = String::new();
        for _ in 0..count {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push_str(&format!("{}\n", state % 50));
        }
        text
    };
    edits(&json!([{ "file_path": "a.txt", "old_content": lines(1), "new_content": lines(2) }]))
}

pub fn many_files() -> String {
    let edit =
        |number: u32| json!({ "file_path": format!("src/{number}.rs"), "old_content": "a\n", "new_content": "b\n" });
    edits(&(0..80_000).map(edit).collect())
}

fn long_line() -> String {
    let (old, new) = ("a b ".repeat(1 << 19), "b a c ".repeat(1 << 19));
    edits(&json!([{ "file_path": "a.js", "old_content": old, "new_content": new, "language": "javascript" }]))
}

/// 16 MB of the same value in one array.
pub fn values(message_type: &str, value: &str) -> String {
    let list = format!("[{value}{}]", format!(",{value}").repeat((16 << 20) / (value.len() + 1) - 100));
    match message_type {
        "TOOL_CALL" => envelope(message_type, &format!(r#"{{"tool_name":"Bash","input":{{"x":{list}}}}}"#)),
        _ => envelope(message_type, &format!(r#"{{"x":{list}}}"#)),
    }
}

fn many_keys() -> String {
    let keys: Vec<String> = (0..1_500_000).map(|number| format!("\"{number:x}\":0")).collect();
    envelope("BOMB", &format!("{{{}}}", keys.join(",")))
}

fn nested(levels: usize) -> String {
    envelope("BOMB", &format!(r#"{{"x":{}{}}}"#, "[".repeat(levels), "]".repeat(levels)))
}

fn deep_and_wide() -> String {
    let deep = format!("{}{}", "[".repeat(55), "]".repeat(55));
    envelope("BOMB", &format!(r#"{{"x":[0{}]}}"#, format!(",{deep}").repeat(100_000)))
}

fn many_todos() -> String {
    let todo = |number: u32| json!({ "id": number.to_string(), "content": "Check it", "status": "pending" });
    envelope("TODO", &json!({ "todos": (0..100_000).map(todo).collect::<Vec<_>>() }).to_string())
}

fn nested_lists() -> String {
    let lines: Vec<String> = (0..1_400).map(|level| format!("{}- a", " ".repeat(level * 2 % 2_000))).collect();
    json!({ "content": lines.join("\n") }).to_string()
}

fn backticks() -> String {
    let runs: Vec<String> = (1..1_400).map(|length| format!("{} a", "`".repeat(length))).collect();
    json!({ "content": runs.join(" ") }).to_string()
}

fn wide_table() -> String {
    let row = "|a".repeat(1_000);
    let rows = format!("{row}\n").repeat(1_000);
    json!({ "content": format!("{row}\n{}\n{rows}", "|-".repeat(1_000)) }).to_string()
}

fn link_definitions() -> String {
    let lines: Vec<String> = (0..100_000).map(|number| format!("[{number}]: https://a.example/{number}")).collect();
    json!({ "content": format!("{}\n\n{}", lines.join("\n"), "[1] [2] ".repeat(50_000)) }).to_string()
}
