//! `verbatim tail` for pipes: several sessions, from a moment on, and a reader that goes away.

use crate::support::Server;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Stdio};

struct Tail {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Tail {
    fn of(server: &Server, arguments: &[&str]) -> Self {
        let mut command = server.place.program(&[&["tail"], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Self { out: BufReader::new(child.stdout.take().unwrap()), child }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(self.out.read_line(&mut line).unwrap(), 0, "there is more to come");
        line
    }

    /// Session and text of the next message.
    fn said(&mut self) -> (String, String) {
        let message: Value = serde_json::from_str(&self.line()).unwrap();
        let text = |key: &str| message[key].as_str().unwrap().to_owned();
        (text("session_id"), text("content"))
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn session(server: &Server, text: &str) -> String {
    server.place.out(&["send", text]).trim_end().to_owned()
}

fn say(server: &Server, session: &str, message: &Value) {
    let path = format!("/v1/sessions/{session}/messages");
    let reply = server.with_key("POST", &path, &message.to_string());
    assert_eq!(reply.status, 201, "{}", reply.text());
}

/// Of several sessions each line names its own, and no other session is among them.
#[test]
fn several_sessions() {
    let server = Server::start();
    let (one, two, other) = (session(&server, "One"), session(&server, "Two"), session(&server, "Other"));
    let mut tail = Tail::of(&server, &["--json", &one, &two, &one]);
    let said = |session: &str, text: &str| (session.to_owned(), text.to_owned());
    assert_eq!([tail.said(), tail.said()], [said(&one, "One"), said(&two, "Two")]);
    let mut people = Tail::of(&server, &["-n", "1", &one, &two]);
    assert!(people.line().contains(&one) && people.line().contains(&two));
    // Whatever is said before the stream is open comes with it: its cursor is that of the page.
    say(&server, &other, &json!({"content": "Nobody's"}));
    say(&server, &two, &json!({"content": "Deux"}));
    assert_eq!(tail.said(), said(&two, "Deux"));
    say(&server, &one, &json!({"role": "tool", "content": "Une"}));
    assert_eq!(tail.said(), said(&one, "Une"));
    assert!(people.line().trim_end().ends_with("Deux"));
    let line = people.line();
    assert!(line.contains(&one) && line.trim_end().ends_with("tool       🔧 Une"), "{line}");
}

/// All since a moment, in pages, then what comes; filtered, of one session and of all.
#[test]
fn since_a_moment() {
    let server = Server::start();
    let (one, two) = (session(&server, "One"), session(&server, "Two"));
    let old = json!({"messages": [{"content": "Old", "created_at": "2001-02-03T04:05:06Z"}]});
    let many: Vec<Value> =
        (0..250).map(|n| json!({"content": format!("{n}"), "created_at": "2031-01-01T00:00:00Z"})).collect();
    for batch in [&old, &json!({"messages": many}), &json!({"messages": many})] {
        let path = format!("/v1/sessions/{one}/messages/batch");
        let reply = server.with_key("POST", &path, &batch.to_string());
        assert_eq!(reply.status, 201, "{}", reply.text());
    }
    say(&server, &one, &json!({"role": "tool", "content": "Last", "created_at": "2031-01-01T00:00:00Z"}));
    let since = ["--json", "--since", "2031-01-01T00:00:00Z"];
    let mut tail = Tail::of(&server, &[&since[..], &[&one]].concat());
    let texts: Vec<String> = (0..501).map(|_| tail.said().1).collect();
    assert_eq!((&*texts[0], &*texts[250], &*texts[500]), ("0", "0", "Last"));
    let mut tools = Tail::of(&server, &[&since[..], &["--role", "tool", "--type", "TEXT", &one]].concat());
    assert_eq!(tools.said().1, "Last");
    let mut all = Tail::of(&server, &["--json", "--since", "2020-01-01", "--role", "user"]);
    say(&server, &two, &json!({"role": "user", "content": "Begin"}));
    assert_eq!(all.said(), (two.clone(), "Begin".to_owned()));
    say(&server, &one, &json!({"role": "user", "content": "Now"}));
    for tail in [&mut tail, &mut all] {
        assert_eq!(tail.said(), (one.clone(), "Now".to_owned()));
    }
}

/// A reader that goes away ends it at once, though no message comes.
#[test]
fn a_reader_that_goes_away() {
    let server = Server::start();
    let session = session(&server, "One");
    let mut command = server.place.program(&["tail", &session]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    assert_ne!(out.read_line(&mut String::new()).unwrap(), 0);
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""));
}

#[test]
fn what_can_not_be_followed() {
    let server = Server::start();
    let one = session(&server, "One");
    let seen = [
        &["--since", "yesterday"][..],
        &["--since", "yesterday", &one],
        &["--since", "2031-01-01", "-n", "3"],
        &[&one, "nobody"],
    ]
    .map(|arguments| server.place.seen(&[&["tail"], arguments].concat()))
    .concat();
    insta::assert_snapshot!(seen.replace(&one, "[session]"));
}
