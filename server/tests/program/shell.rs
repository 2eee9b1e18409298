//! The commands with which a shell script is an agent: keys, posts, questions, and what others post.

use crate::support::{Place, Server};
use insta::{assert_snapshot, with_settings};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStderr, ChildStdout, Stdio};

/// Asserts on what was seen, without ids, keys and times.
macro_rules! assert_seen {
    ($seen:expr) => {
        with_settings!({filters => vec![
            ("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "[id]"),
            ("vbt_[0-9a-f]{10}_[0-9a-f]{64}_[0-9a-f]{8}", "[key]"),
            (r"\b[0-9a-f]{10}\b", "[key id]"),
            (r"\b01[0-9a-f]{6}\b", "[prefix]"),
            (r"20\d\d-\d\d-\d\d \d\d:\d\d", "[minute]"),
            (r"\b\d\d:\d\d:\d\d\b", "[time]"),
            (r"127\.0\.0\.1:\d+", "[host]"),
        ]}, { assert_snapshot!($seen) })
    };
}

/// Runs a command with this on its standard input.
fn piped(place: &Place, arguments: &[&str], input: impl AsRef<[u8]>) -> String {
    let mut child = spawn(place, arguments);
    child.stdin.take().unwrap().write_all(input.as_ref()).unwrap();
    finished(child)
}

fn spawn(place: &Place, arguments: &[&str]) -> Child {
    let mut command = place.program(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Outcome, output and messages.
fn finished(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("exit {}\nout: {out}err: {err}", output.status.code().unwrap())
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn keys_without_a_server() {
    let place = Place::new();
    let mut seen = place.seen(&["key", "list"]);
    seen += &place.seen(&["key", "create", "--name", "nightly"]);
    let made = json(&place.out(&[
        "key",
        "create",
        "--name",
        "reader",
        "--scope",
        "read",
        "--expires",
        "2999-01-31",
        "--json",
    ]));
    assert_eq!(made.as_object().unwrap().keys().collect::<Vec<_>>(), ["id", "key"]);
    seen += &place.seen(&["key", "list"]);
    let id = made["id"].as_str().unwrap();
    for arguments in [
        &["key", "quota", id, "--most-messages", "12"][..],
        &["key", "quota", id, "--most-bytes", "0"],
        &["key", "revoke", id],
        &["key", "revoke", id],
        &["key", "list"],
        &["key", "create", "--name", " "],
        &["key", "create", "--name", "x", "--scope", "approve"],
        &["key", "create", "--name", "x", "--expires", "soon"],
        &["key"],
    ] {
        seen += &place.seen(arguments);
    }
    assert_seen!(seen);
}

#[test]
fn keys_beside_a_server() {
    let server = Server::start();
    let place = &server.place;
    let made =
        json(&place.out(&["key", "create", "--name", "nightly", "--scope", "post", "--scope", "read", "--json"]));
    let (id, key) = (made["id"].as_str().unwrap(), made["key"].as_str().unwrap());
    let bearer = format!("Bearer {key}");
    assert_eq!(server.get("/v1/me", &[("Authorization", &bearer)]).json()["kind"], "agent");
    let keys = json(&place.out(&["key", "list", "--json"]));
    assert_eq!((&keys[0]["id"], &keys[0]["scopes"]), (&json!(id), &json!(["post", "read"])));
    let left = json(&place.out(&["key", "revoke", id, "--json"]));
    assert!(left[0]["revoked_at"].is_i64());
    assert_eq!(server.get("/v1/me", &[("Authorization", &bearer)]).status, 401);
    assert_seen!(place.seen(&["sessions", "--key", key]) + &place.seen(&["send", "--key", key, "x"]));
}

/// A script: the session of the first message is that of the following ones.
#[test]
fn send() {
    let server = Server::start();
    let place = &server.place;
    let session = place.out(&["send", "--agent", "deploy", "--title", "Deploy 1.4", "Building"]);
    let session = session.trim_end();
    place.write(
        "todo.json",
        json!({"message_type": "TODO", "payload": {"todos": [
            {"id": "1", "content": "Upload", "status": "pending"}
        ]}})
        .to_string(),
    );
    let mut seen = String::new();
    for arguments in [
        &["send", "--session", session, "--role", "tool", "412 tests pass"][..],
        &["send", "--session", session, "--metadata", "@todo.json"],
        &["send", "--session", session, "--metadata", r#"{"exit_code": 1}"#, "--role", "tool", "Failed"],
        &["send", "--session", session, "--id", "once", "Once"],
        &["send", "--session", session, "--id", "once", "Once"],
        &["send", "--session", session, "--role", "user", "Stop it"],
        &["send", "--session", session, "Stopping"],
    ] {
        seen += &place.seen(arguments);
    }
    seen += &piped(place, &["send", "--session", session], "From a pipe\nin two lines\n");
    seen += &piped(place, &["send", "--session", session, "-"], "From a dash\n");
    seen += &place.seen(&["show", session]);
    seen += &place.seen(&["sessions"]);
    assert_seen!(seen);
    place.out(&["send", "--session", session, "--role", "user", "Go on"]);
    let posted = json(&place.out(&["send", "--session", session, "--json", "Going on"]));
    assert_eq!((&posted["content"], &posted["session_id"]), (&json!("Going on"), &json!(session)));
    assert_eq!(posted["queued_user_messages"][0]["content"], "Go on");
}

/// Without a server it is stored all the same; with a key it is the agent's.
#[test]
fn send_without_a_server_and_with_a_key() {
    let place = Place::new();
    let session = place.out(&["send", "One"]);
    let seen = place.seen(&["show", session.trim_end()]);
    assert!(seen.contains("# One") && seen.contains("--- Assistant: shell · TEXT"), "{seen}");
    let server = Server::start_in(place, &[]);
    let key = server.agent_key();
    let (url, place) = (server.origin(), &server.place);
    let own = place.out(&["send", "--server", &url, "--key", &key, "Two"]);
    let listed = json(&place.out(&["sessions", "--server", &url, "--key", &key, "--json"]));
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["id"]), (1, &json!(own.trim_end())));
    // From the environment, in a folder of nobody.
    let other = Place::new();
    let mut command = other.program(&["sessions", "--json"]);
    let output = command.env("VERBATIM_URL", &url).env("VERBATIM_KEY", &key).output().unwrap();
    assert_eq!(json(&String::from_utf8(output.stdout).unwrap()), listed);
    assert!(!other.data().exists(), "nothing was made here");
}

/// The command before a pipe is over: its output arrives, whatever bytes are in it. Metadata comes by a pipe too.
#[test]
fn send_what_a_pipe_holds() {
    let server = Server::start();
    let place = &server.place;
    let session = place.out(&["send", "Building"]).trim_end().to_owned();
    let told = piped(place, &["send", "--session", &session], b"warning: caf\xe9\nerror: no\n");
    assert_eq!(told, "exit 0\nout: err: Standard input isn't valid UTF-8; invalid bytes are replaced by U+FFFD\n");
    let metadata =
        r#"{"message_type": "TODO", "payload": {"todos": [{"id": "1", "content": "c", "status": "pending"}]}}"#;
    assert_eq!(piped(place, &["send", "--session", &session, "--metadata", "@-"], metadata), "exit 0\nout: err: ");
    let page = server.with_key("GET", &format!("/v1/sessions/{session}/messages"), "").json();
    let of = |index: usize, name: &str| page["messages"][index][name].clone();
    assert_eq!((of(1, "content"), of(2, "message_type")), (json!("warning: caf\u{fffd}\nerror: no"), json!("TODO")));
    let exported = place.out(&["export", &session, "--format", "markdown"]);
    let line = exported.strip_prefix("# Building\n\nshell, ");
    assert!(
        line.is_some_and(|line| line.starts_with(|c: char| c.is_ascii_digit())),
        "no project, then a day: {exported}"
    );
}

/// Text and metadata together, in whatever order they are given.
#[test]
fn send_a_text_with_metadata() {
    let place = Place::new();
    let session = place.out(&["send", "Building"]).trim_end().to_owned();
    let metadata = r#"{"message_type": "GAUGE", "payload": {"at": 7}, "webhook_url": "https://example.org"}"#;
    place.write("gauge.json", metadata);
    for arguments in [
        &["--metadata", metadata][..],
        &["--metadata", metadata, "-"],
        &["-", "--metadata", "@gauge.json"],
        &["--role", "tool", "--metadata", "@gauge.json", "--json"],
    ] {
        let told = piped(&place, &[&["send", "--session", &session], arguments].concat(), "Two\nlines\n");
        assert!(told.starts_with("exit 0"), "{arguments:?}: {told}");
    }
    for arguments in [&["--metadata", metadata, "Two\nlines"][..], &["Two\nlines", "--metadata", "@gauge.json"]] {
        let told = piped(&place, &[&["send", "--session", &session], arguments].concat(), "Not this");
        assert!(told.starts_with("exit 0"), "{arguments:?}: {told}");
    }
    let told = piped(&place, &["send", "--session", &session, "--metadata", "@-", "Two\nlines"], metadata);
    assert!(told.starts_with("exit 0"), "{told}");
    // Metadata alone needs no text.
    for nothing in ["", " \n\t\n"] {
        let told = piped(&place, &["send", "--session", &session, "--metadata", metadata], nothing);
        assert!(told.starts_with("exit 0"), "{told}");
    }
    let lines = place.out(&["show", "--json", &session]);
    let messages: Vec<Value> = lines.lines().skip(1).map(json).collect();
    assert_eq!(messages.len(), 9);
    for message in &messages[..7] {
        assert_eq!(message["content"], "Two\nlines");
        assert_eq!(
            (&message["message_type"], &message["metadata"]["webhook_url"]),
            (&json!("GAUGE"), &json!("https://example.org"))
        );
    }
}

/// A type and what a message of it says, each as an option of its own.
#[test]
fn send_a_message_of_a_type() {
    let place = Place::new();
    let session = place.out(&["send", "Building"]).trim_end().to_owned();
    let chart =
        r#"{"chart": "bar", "title": "Crashes", "x": ["Mon", "Tue"], "series": [{"name": "all", "points": [3, 1]}]}"#;
    place.write("chart.json", chart);
    let progress = r#"{"label": "Tests", "current": 3, "total": 12, "state": "running"}"#;
    let of_type = ["send", "--session", &session, "--type"];
    place.out(&[&of_type[..], &["CHART", "--payload", "@chart.json"]].concat());
    let told = piped(&place, &[&of_type[..], &["PROGRESS", "--payload", "@-"]].concat(), progress);
    assert_eq!(told, "exit 0\nout: err: ");
    let refused = place.seen(&[&of_type[..], &["PROGRESS", "--payload", r#"{"label": "Tests"}"#]].concat());
    assert!(refused.contains("exit 1\n") && refused.contains("/message_metadata/payload/state"), "{refused}");
    let lines = place.out(&["show", "--json", &session]);
    let said: Vec<Value> = lines.lines().skip(1).map(|line| json(line)["summary"].clone()).collect();
    assert_eq!(said, ["Crashes: bar chart of all", "Tests: 3 of 12 (25 %)"]);
}

/// A blank text isn't sent, and isn't asked.
#[test]
fn an_empty_message_is_refused() {
    let place = Place::new();
    for blank in ["", " ", "\n\n", " \t\r\n", "\u{a0}", "\u{200b}"] {
        for arguments in [&["send", blank][..], &["ask", blank], &["send", "--role", "tool", blank]] {
            let told = String::from_utf8(place.run(arguments).stderr).unwrap();
            assert!(told.starts_with("verbatim: there is nothing to "), "{arguments:?}: {told}");
        }
        for arguments in [&["send"][..], &["ask"], &["send", "-"], &["ask", "-", "--permission"]] {
            let told = piped(&place, arguments, blank);
            assert!(told.starts_with("exit 1\nout: err: verbatim: there is nothing to "), "{arguments:?}: {told}");
        }
    }
    assert!(!place.data().exists());
}

/// Messages that the terminal hides are counted where they stand, like on the page.
#[test]
fn what_is_hidden_is_counted() {
    let server = Server::start();
    let place = &server.place;
    let session = place.out(&["send", "--agent", "deploy", "Beginning"]).trim_end().to_owned();
    let send = |arguments: &[&str]| place.out(&[&["send", "--session", session.as_str()], arguments].concat());
    send(&["--role", "model", "I wonder"]);
    for text in ["Rules", "More rules", "And more"] {
        send(&["--role", "system", text]);
    }
    send(&["--role", "tool", "--metadata", r#"{"exit_code": 0}"#, "12 passed"]);
    send(&["--role", "tool", "--metadata", r#"{"exit_code": 2}"#, "1 failed"]);
    send(&["--role", "tool", "no code"]);
    send(&["--role", "user", "Stop it"]);
    send(&["--role", "system", "Last rule"]);
    let mut seen = place.seen(&["show", &session]);
    seen += &place.seen(&["show", "--dev", &session]);
    assert_eq!(place.out(&["show", "--json", &session]).lines().count(), 10);
    let mut tail = tailing(&server, &[&session]);
    seen += "$ verbatim tail\n";
    seen.extend((0..7).map(|_| tail.line()));
    let mut dev = tailing(&server, &["--dev", "-n", "2", &session]);
    seen += "$ verbatim tail --dev -n 2\n";
    seen.extend((0..2).map(|_| dev.line()));
    send(&["--role", "system", "One more"]);
    send(&["Done"]);
    seen.extend((0..2).map(|_| tail.line()));
    seen.extend((0..2).map(|_| dev.line()));
    assert_seen!(seen);
}

/// Whoever names no session, or an address that isn't quite the server's, is told what to give.
#[test]
fn tail_with_an_ordinary_key() {
    let server = Server::start();
    let (key, url) = (server.agent_key(), server.origin());
    let mut seen = server.place.seen(&["tail", "--server", &url, "--key", &key]).replace(&key, "[key]");
    seen += &server.place.seen(&["send", "--server", &format!("{url}/foo"), "--key", &key, "x"]).replace(&key, "[key]");
    assert_eq!(
        seen.replace(&url, "[url]"),
        "$ verbatim tail --server [url] --key [key]\nexit 1\n\
         err: verbatim: `session` should be one of the key's own sessions\n\
         err: Name one of them; a key with the scope `read_all` follows all sessions\n\
         $ verbatim send --server [url]/foo --key [key] x\nexit 1\n\
         err: verbatim: The server answered 404\n\
         err: Check that the address is that of a Verbatim server, with its path if it has one\n"
    );
}

#[test]
fn what_can_not_be_sent() {
    let server = Server::start();
    let (place, url) = (&server.place, server.origin());
    place.write("no.json", "{");
    let mut seen = String::new();
    for arguments in [
        &["send"][..],
        &["send", ""],
        &["send", "--session", "nobody", "x"],
        &["send", "--session", "", "x"],
        &["send", "--session", "a", "--title", "b", "x"],
        &["send", "--role", "host", "x"],
        &["send", "--agent", "", "x"],
        &["send", "--metadata", "[1]", "x"],
        &["send", "--metadata", "{", "x"],
        &["send", "--metadata", "@no.json", "x"],
        &["send", "--metadata", "@missing.json", "x"],
        &["send", "--metadata", r#"{"message_type": "TODO", "payload": {"todos": []}}"#, "x"],
        &["send", "--server", "http://127.0.0.1:1", "x"],
        &["send", "--server", &url, "--key", "wrong", "x"],
        &["send", "--server", "https://example.org", "--key", "k", "x"],
        &["send", "--server", "nowhere", "--key", "k", "x"],
        &["sessions", "--server", "http://127.0.0.1:1", "--key", "k"],
        &["tail", "--server", "http://127.0.0.1:1", "--key", "k"],
        &["tail", "--server", &url, "--key", "wrong"],
        &["tail", "nobody"],
        &["ask", "--session", "nobody", "x"],
        &["key", "revoke", "nobody"],
    ] {
        seen += &place.seen(arguments);
    }
    let other = Place::new();
    for arguments in [&["ask", "x"][..], &["tail"], &["ask"], &["send", "--key", "k", "x"]] {
        seen += &other.seen(arguments);
    }
    assert_seen!(seen);
}

/// A command that runs while the test goes on.
struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
    /// Held open for as long as it runs.
    err: Option<BufReader<ChildStderr>>,
    /// The session that it speaks of.
    session: String,
}

/// Asks, and reads where.
fn asking(server: &Server, arguments: &[&str]) -> Running {
    let mut child = spawn(&server.place, &[&["ask"], arguments].concat());
    let mut line = String::new();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    err.read_line(&mut line).unwrap();
    let session = line.trim_end().strip_prefix(&format!("Asked at {}/s/", server.origin()));
    let session = session.unwrap_or_else(|| panic!("{line:?}")).to_owned();
    Running { out: BufReader::new(child.stdout.take().unwrap()), err: Some(err), child, session }
}

impl Running {
    fn ended(mut self) -> (i32, String) {
        let mut out = String::new();
        self.out.read_to_string(&mut out).unwrap();
        (self.child.wait().unwrap().code().unwrap(), out)
    }

    /// Returns its standard error up to its end.
    fn said(mut self) -> String {
        let mut said = String::new();
        self.err.take().unwrap().read_to_string(&mut said).unwrap();
        said
    }
}

#[test]
fn ask() {
    let server = Server::start();
    let cookie = server.cookie();
    let post = |path: &str, body: Value| {
        let reply = server.as_owner(&cookie, "POST", &format!("/v1/sessions/{path}"), &body);
        assert!(reply.status < 300, "{path}: {}", reply.text());
    };
    let state = |session: &str| {
        let session = &server.with_key("GET", &format!("/v1/sessions/{session}"), "").json()["session"];
        (session["title"].as_str().unwrap().to_owned(), session["state"].as_str().unwrap().to_owned())
    };
    let question = asking(&server, &["Which version?"]);
    assert_eq!(state(&question.session), ("Which version?".to_owned(), "needs_you".to_owned()));
    let session = question.session.clone();
    post(&format!("{session}/messages"), json!({"content": "1.4\nor so"}));
    assert_eq!(question.ended(), (0, "1.4\nor so\n".to_owned()));
    assert_eq!(state(&session).1, "done", "it was made for the question");

    let session = server.place.out(&["send", "--agent", "deploy", "Deploying"]).trim_end().to_owned();
    let approval = |session: &str| {
        let page = server.with_key("GET", &format!("/v1/sessions/{session}/messages?type=APPROVAL"), "").json();
        let asked = page["messages"].as_array().unwrap().last().unwrap().clone();
        (format!("{session}/messages/{}/decision", asked["id"].as_str().unwrap()), asked["shown_sha256"].clone())
    };
    let decide = |option: &str| {
        let (path, shown) = approval(&session);
        post(&path, json!({"selected": [option], "shown_sha256": shown}));
    };
    let choice = asking(&server, &["--session", &session, "--choice", "Left", "--choice", "Right", "--json", "Where?"]);
    decide("2");
    let (status, out) = choice.ended();
    let answer = json(&out);
    assert_eq!((status, &answer["answer"], &answer["decision"]["state"]), (0, &json!("Right"), &json!("answered")));
    assert_eq!(answer["session_id"], session);
    for (option, outcome) in [("allow_once", (0, "Allow once\n")), ("reject_once", (3, "Deny\n"))] {
        let permission = asking(&server, &["--session", &session, "--permission", "Go live?"]);
        decide(option);
        assert_eq!(permission.ended(), (outcome.0, outcome.1.to_owned()));
    }
    assert_ne!(state(&session).1, "done", "it goes on");
}

/// A question that nobody answers in time is taken back.
#[test]
fn ask_for_a_while() {
    let server = Server::start();
    let session = server.place.out(&["send", "Beginning"]).trim_end().to_owned();
    let mut seen = server.place.seen(&["ask", "--session", &session, "--timeout", "0", "Anybody?"]);
    seen += &server.place.seen(&["ask", "--session", &session, "--timeout", "0", "--permission", "Go?"]);
    let state = || server.with_key("GET", &format!("/v1/sessions/{session}"), "").json()["session"]["state"].clone();
    assert_ne!(state(), "needs_you");
    seen += &server.place.seen(&["show", &session]);
    assert_seen!(seen);
    // By a key, by `timeout` or a service manager, by a terminal that is closed.
    for signal in ["-INT", "-TERM", "-HUP"] {
        let interrupted = asking(&server, &["--session", &session, "Still?"]);
        assert_eq!(state(), "needs_you");
        let pid = interrupted.child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success());
        assert_eq!(interrupted.said(), "verbatim: interrupted: the question was retracted\n", "{signal}");
        assert_ne!(state(), "needs_you", "{signal}");
    }
}

/// Each start of the server makes a new credential for this machine's commands: those that wait go on with it.
#[test]
fn ask_and_tail_outlive_the_server() {
    let mut server = Server::start();
    let session = server.place.out(&["send", "Beginning"]).trim_end().to_owned();
    let mut tail = tailing(&server, &[&session, "-n", "1"]);
    assert!(tail.line().contains("Beginning"));
    let question = asking(&server, &["--session", &session, "Still there?"]);
    assert!(tail.line().contains("Still there?"));
    let before = server.key();
    server.kill();
    let server = server.again();
    assert_ne!(server.key(), before);
    let waits = server.place.out(&["sessions"]);
    assert!(waits.contains("  needs you  ") && waits.contains("  shell  "), "{waits}");
    let answer = json!({"content": "Yes"});
    let path = format!("/v1/sessions/{session}/messages");
    assert_eq!(server.as_owner(&server.cookie(), "POST", &path, &answer).status, 201);
    assert_eq!(question.ended(), (0, "Yes\n".to_owned()));
    assert!(tail.line().contains("Yes"));
}

fn tailing(server: &Server, arguments: &[&str]) -> Running {
    let mut child = spawn(&server.place, &[&["tail"], arguments].concat());
    Running { out: BufReader::new(child.stdout.take().unwrap()), err: None, child, session: String::new() }
}

impl Running {
    fn line(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(self.out.read_line(&mut line).unwrap(), 0, "there is more to come");
        line
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn tail() {
    let server = Server::start();
    let place = &server.place;
    let session = place.out(&["send", "--agent", "deploy", "One"]).trim_end().to_owned();
    let send = |arguments: &[&str]| place.out(&[&["send", "--session", session.as_str()], arguments].concat());
    send(&["Two\nlines \u{1b}[31mred"]);
    let mut people = tailing(&server, &[&session, "-n", "1"]);
    let mut programs = tailing(&server, &["--json", &session[..30]]);
    let mut all = tailing(&server, &[]);
    let mut seen = people.line();
    let first: Vec<Value> = (0..2).map(|_| json(&programs.line())).collect();
    assert_eq!((&first[0]["content"], &first[1]["seq"]), (&json!("One"), &json!(2)));
    send(&[
        "--metadata",
        r#"{"message_type": "TOOL_CALL", "payload": {"tool_name": "Bash", "input": {"command": "ls"}}}"#,
        "--id",
        "call",
    ]);
    seen += &people.line();
    assert_eq!(json(&programs.line())["message_type"], "TOOL_CALL");
    let update = json!({"message_metadata": {"message_type": "TOOL_CALL", "payload": {"tool_name": "Bash", "input": {"command": "ls"}, "output": "a"}}});
    let path = format!("/v1/sessions/{session}/messages/call");
    assert_eq!(server.with_key("PATCH", &path, &update.to_string()).status, 200);
    seen += &people.line();
    assert_eq!(json(&programs.line())["revision"], 2);
    assert_eq!(server.with_key("DELETE", &path, "{}").status, 200);
    seen += &people.line();
    assert_eq!(json(&programs.line())["status"], "retracted");
    // All sessions: from now on, whenever that was.
    let other = place.out(&["send", "Elsewhere"]).trim_end().to_owned();
    let line = loop {
        let line = all.line();
        if line.contains(&other) {
            break line;
        }
    };
    seen += &line;
    assert_seen!(seen);
}
