//! The commands, as a person types them.

use crate::support::{Place, Server, fixture, said};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn with_mill() -> Place {
    let place = Place::new();
    let text = format!("{}{}", said("mill", 1, "How does the mill turn?"), said("mill", 2, "And in winter?"));
    place.write("mill.jsonl", text);
    place.out(&["import", "mill.jsonl"]);
    place
}

#[test]
fn import_counts_what_is_new() {
    let place = Place::new();
    place.write("talks/mill.jsonl", format!("{}{}torn", said("mill", 1, "One"), said("mill", 2, "Two")));
    place.write("talks/deeper/farm.jsonl", said("farm", 1, "Sow"));
    place.write("talks/readme.txt", "no transcript");
    // A file that isn't a transcript is refused, and stops none of the others.
    let count = |arguments: &[&str]| {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(1));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let first = json!({"files": 2, "sessions": 2, "messages": 4, "notes": 1});
    assert_eq!(count(&["import", "talks", "--json"]), first);
    let again = count(&["import", "talks", "--json"]);
    assert_eq!((&again["messages"], &again["files"]), (&json!(0), &json!(2)));
    place.write("talks/deeper/farm.jsonl", format!("{}{}", said("farm", 1, "Sow"), said("farm", 2, "Reap")));
    let grown = count(&["import", "--json", "talks/deeper/farm.jsonl", "talks"]);
    assert_eq!((&grown["messages"], &grown["files"]), (&json!(1), &json!(2)));
    assert_snapshot!(place.seen(&["import", "talks"]));
}

#[test]
fn sessions_and_show() {
    let place = with_mill();
    let mut seen = place.seen(&["sessions"]);
    for arguments in [["show", "mill"], ["show", "mi"]] {
        seen += &place.seen(&arguments);
    }
    assert_snapshot!(seen);
    let sessions: Value = serde_json::from_str(&place.out(&["sessions", "--json"])).unwrap();
    assert_eq!(sessions[0]["agent_session_id"], "mill");
    let lines = place.out(&["show", "mill", "--json"]);
    let messages: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let texts: Vec<&str> = messages.iter().map(|m| m["content"].as_str().unwrap()).collect();
    assert_eq!(texts, ["How does the mill turn?", "And in winter?"]);
    let ours = sessions[0]["id"].as_str().unwrap();
    assert_eq!(place.out(&["show", ours, "--json"]), lines);
}

/// `show --json` has every message of a long session, once, in order.
#[test]
fn show_goes_through_all_pages() {
    let place = Place::new();
    let text: String = (0..1203).map(|n| said("long", n, &format!("Message {n}"))).collect();
    place.write("long.jsonl", text);
    place.out(&["import", "long.jsonl"]);
    let lines = place.out(&["show", "long", "--json"]);
    let seqs: Vec<i64> =
        lines.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["seq"].as_i64().unwrap()).collect();
    assert_eq!(seqs, (1..=1203).collect::<Vec<_>>());
}

#[test]
fn nothing_yet() {
    let place = Place::new();
    assert_snapshot!(place.seen(&["sessions"]) + &place.seen(&["sessions", "--json"]) + &place.seen(&["doctor"]));
}

#[test]
fn doctor_says_what_lies_where() {
    let place = with_mill();
    place.write("home/.claude/projects/-home-ada-mill/one.jsonl", said("one", 1, "One"));
    assert_snapshot!(place.seen(&["doctor"]));
    let server = Server::start_in(place, &[]);
    let seen = server.place.seen(&["doctor"]);
    assert!(seen.contains(&format!("ok    server           {}", server.origin())), "{seen}");
    assert!(seen.contains("1 sessions with those of sub-agents from 1 files"), "{seen}");
    assert!(seen.contains("-     stored data      not checked while the server is running"), "{seen}");
}

/// A file left by a crash is no server: nobody is asked at its address, which may be another's by now.
#[test]
fn doctor_does_not_believe_a_credential() {
    let place = Place::new();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{closed}");
    place.write("data/server.json", json!({"url": url, "key": "k"}).to_string());
    let mut seen = place.seen(&["doctor"]) + &place.seen(&["open"]);
    // Another process holds the folder, and no server answers.
    let lock = store::DataDirLock::acquire(&place.data()).unwrap();
    seen += &place.seen(&["doctor"]);
    seen += &place.seen(&["open"]);
    drop(lock);
    let process = std::process::id().to_string();
    assert_snapshot!(seen.replace(&url, "[url]").replace(&format!("process {process}"), "process [pid]"));
}

/// Commands go through a running server: what they import is on its pages at once.
#[test]
fn commands_beside_a_running_server() {
    let server = Server::start();
    let file = server.place.write("mill.jsonl", said("mill", 1, "One"));
    let counts: Value = serde_json::from_str(&server.place.out(&["import", "--json", "mill.jsonl"])).unwrap();
    assert_eq!(counts, json!({"files": 1, "sessions": 1, "messages": 1, "notes": 0}));
    let list = server.with_key("GET", "/v1/sessions", "").json();
    assert_eq!(list["sessions"][0]["agent_session_id"], "mill");
    let job = &server.with_key("GET", "/v1/imports", "").json()["imports"][0];
    assert_eq!((&job["done"], &job["messages"]), (&json!(true), &json!(1)));
    assert!(server.place.out(&["sessions"]).contains("One"));
    assert!(server.place.out(&["show", "mill"]).contains("One"));
    let exported = server.place.run(&["export", "mill", "--format", "original"]).stdout;
    assert_eq!(exported, std::fs::read(file).unwrap());
    let link = server.place.out(&["open"]);
    let code = link.trim_end().strip_prefix(&format!("{}/#c=", server.origin())).unwrap().to_owned();
    assert_eq!(server.log_in(&code).status, 200);
    // Folders named by a relative path mean those of the command, not of the server.
    server.place.write("folder/farm.jsonl", said("farm", 1, "Sow"));
    assert!(server.place.out(&["import", "folder/../folder"]).starts_with("1 files, 1 sessions, 1 new messages"));
}

#[test]
fn help_and_version() {
    let place = Place::new();
    let mut seen = place.seen(&["--version"]) + &place.seen(&["--help"]);
    for command in ["serve", "import", "sessions", "show", "open", "send", "ask", "tail", "key", "export", "doctor"] {
        seen += &place.seen(&[command, "--help"]);
    }
    assert_snapshot!(seen);
}

/// A reader that goes away, as `head` does, ends a command quietly.
#[test]
fn a_pipe_that_closes_is_no_error() {
    use std::io::Read as _;
    use std::process::Stdio;
    let place = Place::new();
    place.out(&["import", fixture("browser/projects").to_str().unwrap()]);
    let mut child =
        place.program(&["show", "5e551008", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 1]).unwrap();
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
