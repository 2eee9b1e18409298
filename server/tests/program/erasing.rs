//! A text that a person erases: a secret that was found too late.

use crate::support::{Place, Server, fresh_postgres, said};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;

/// With everything that JSON escapes.
const SECRET: &str = "s3cret \"quoted\" p\u{e4}ss\\word\nsecond line";
const COVERED: &str = "[erased].....................\n...........";

/// A call whose input holds the secret, as JSON in a string as well, and its result.
fn call(session: &str) -> String {
    let inner = json!({ "env": SECRET }).to_string();
    let head = |number: usize, kind: &str| {
        json!({"type": kind, "sessionId": session, "cwd": "/home/ada/mill", "version": "2.1.49",
            "uuid": format!("{session}-{number}"), "timestamp": format!("2026-03-01T09:10:{number:02}.000Z")})
    };
    let mut asks = head(90, "assistant");
    asks["message"] = json!({"id": "m90", "role": "assistant", "model": "claude-sonnet-4-5", "content": [
        {"type": "tool_use", "id": "toolu_9", "name": "Bash", "input": {"command": format!("deploy '{inner}'")}}]});
    let mut answers = head(91, "user");
    answers["message"] = json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "toolu_9", "content": format!("deployed with {SECRET}")}]});
    format!("{asks}\n{answers}\n")
}

fn transcript(session: &str) -> String {
    said(session, 1, &format!("Use {SECRET} to log in")) + &said(session, 2, "Then go on") + &call(session)
}

struct Town {
    place: Place,
    database: Option<String>,
}

impl Town {
    fn on(name: &str) -> Vec<Self> {
        let sqlite = Self { place: Place::new(), database: None };
        let postgres = fresh_postgres(name).map(|database| Self { place: Place::new(), database: Some(database) });
        [sqlite].into_iter().chain(postgres).collect()
    }

    fn arguments<'a>(&'a self, arguments: &[&'a str]) -> Vec<&'a str> {
        let database = self.database.iter().flat_map(|url| ["--database", url]);
        arguments.iter().copied().chain(database).collect()
    }

    fn out(&self, arguments: &[&str]) -> String {
        self.place.out(&self.arguments(arguments))
    }

    /// Runs `verbatim erase` with a text on its standard input.
    fn erase(&self, session: &str, text: &str, more: &[&str]) -> Value {
        let arguments: Vec<&str> = ["erase", session, "--json"].into_iter().chain(more.iter().copied()).collect();
        let mut child = self
            .place
            .program(&self.arguments(&arguments))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        for session in answer["sessions"].as_array_mut().unwrap() {
            session["id"] = Value::Null;
        }
        answer
    }

    /// Every export of a session, one after the other.
    fn exports(&self, session: &str) -> String {
        let formats = ["original", "jsonl", "json", "html", "markdown", "anthropic"];
        formats.iter().map(|format| self.out(&["export", session, "--format", format])).collect()
    }

    fn assert_gone(&self, session: &str) {
        let exports = self.exports(session);
        for part in ["s3cret", "quoted", "second line"] {
            assert!(!exports.contains(part), "{part} is in an export of {session}");
        }
        assert!(exports.contains("[erased]"));
        assert!(!self.out(&["doctor"]).contains("that were imported"));
    }
}

#[test]
fn an_erased_text_is_nowhere_and_does_not_come_back() {
    for town in Town::on("erased") {
        let file = town.place.write("mill.jsonl", transcript("mill"));
        // A fork repeats the messages of its parent.
        let fork =
            transcript("mill").replace(r#""sessionId":"mill""#, r#""sessionId":"fork""#) + &said("fork", 7, "On");
        town.place.write("fork.jsonl", fork);
        town.out(&["import", "mill.jsonl"]);
        town.out(&["import", "fork.jsonl"]);
        let archive = town.out(&["export", "mill", "--format", "jsonl"]);
        // Titles are one line.
        let title = format!("Use [erased]{} to log in", ".".repeat(30));
        let found = json!({
            "erased": false,
            "summary": "Found in 4 messages of 2 sessions, 2 titles, 6 places in transcripts.",
            "sessions": [
                {"id": null, "title": title.as_str(), "messages": 2},
                {"id": null, "title": title.as_str(), "messages": 2},
            ],
            "messages": 4, "places": 6, "context_entries": 0, "texts": 0, "files": [],
        });
        assert_eq!(town.erase("mill", SECRET, &["--preview"]), found);
        assert!(town.out(&["export", "mill", "--format", "jsonl"]) == archive, "a preview changes nothing");

        let erased = town.erase("mill", SECRET, &[]);
        assert_eq!((&erased["messages"], &erased["places"]), (&json!(4), &json!(6)));
        town.assert_gone("mill");
        town.assert_gone("fork");
        let shown = town.out(&["show", "mill"]);
        assert!(shown.contains(&format!("Use {COVERED} to log in")), "{shown}");
        // Everything else is as it was, at the same places.
        let original = town.out(&["export", "mill", "--format", "original"]);
        assert_eq!(original.len(), transcript("mill").len());
        assert_eq!(original.lines().nth(1), transcript("mill").lines().nth(1));
        assert!(original.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
        let told = town.place.run(&town.arguments(&["export", "mill", "--format", "original"])).stderr;
        assert!(String::from_utf8_lossy(&told).contains("A text was erased from "));

        // Neither the same file brings it back, nor a longer or another one, nor an archive of before.
        town.out(&["import", "mill.jsonl"]);
        town.place.write("mill.jsonl", transcript("mill") + &said("mill", 8, SECRET));
        town.out(&["import", file.to_str().unwrap()]);
        town.place.write("mill.jsonl", said("mill", 9, "Rewritten") + &transcript("mill"));
        town.out(&["import", file.to_str().unwrap()]);
        town.assert_gone("mill");
        town.place.write("other.jsonl", transcript("other"));
        town.out(&["import", "other.jsonl"]);
        town.assert_gone("other");
        let again = Place::new();
        again.write("before.jsonl", &archive);
        let other = Town { place: again, database: None };
        other.out(&["import", "before.jsonl"]);
        other.erase("mill", SECRET, &[]);
        other.assert_gone("mill");

        let log = town.out(&["audit", "--kind", "text_erased"]);
        assert!(log.contains("A text erased from 4 messages of 2 sessions") && !log.contains("s3cret"), "{log}");
    }
}

#[test]
fn a_running_server_erases_for_its_owner_alone_and_says_what_is_wrong() {
    let server = Server::start();
    server.place.write("mill.jsonl", transcript("mill"));
    server.place.out(&["import", "mill.jsonl"]);
    let path = "/v1/sessions/mill/erasure";
    let ask = |body: &Value| server.with_key("POST", path, &body.to_string());
    for text in ["short", " a text with spaces around it", &"x".repeat(16_385)] {
        let reply = ask(&json!({ "text": text }));
        assert_eq!((reply.status, reply.json()["field"].as_str()), (400, Some("/text")), "{}", reply.text());
    }
    let none = ask(&json!({"text": "a text that nobody wrote", "preview": true})).json();
    assert_eq!(none["summary"], "The text isn't in this session. Look at how it is written.");
    let bearer = format!("Bearer {}", server.agent_key());
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    assert_eq!(server.send("POST", path, &headers, &json!({"text": SECRET}).to_string()).status, 403);
    assert_eq!(ask(&json!({"text": SECRET})).status, 200);
    let erased = server.with_key("GET", path, "").json();
    let ranges = erased["files"][0]["ranges"].as_array().unwrap();
    assert_eq!(ranges.len(), 3, "{erased}");
    let found = server.with_key("GET", "/v1/search?q=s3cret", "").json();
    assert_eq!(found["total"], 0, "{found}");
    // An erasure changes the stored message, so its revision grows.
    assert_eq!(server.with_key("GET", "/v1/sessions/mill/messages", "").json()["messages"][0]["revision"], 2);
}
