//! What lies in a followed folder can't stop the server.

use crate::support::{PATIENCE, Place, Server, said};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How long the server may take to end.
const END: Duration = Duration::from_secs(5);
const MILL: &str = "agent/projects/-home-ada-mill";

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::yield_now();
    }
}

/// A server that reads the folder `agent`.
fn following(place: Place) -> Server {
    let folder = place.path("agent");
    Server::start_in(place, &["--claude-dir", folder.to_str().unwrap()])
}

fn contents(server: &Server, session: &str) -> Vec<String> {
    let page = server.with_key("GET", &format!("/v1/sessions/{session}/messages?dev=1"), "").json();
    let messages = page["messages"].as_array().cloned().unwrap_or_default();
    messages.iter().map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// A named pipe. Whoever waits for its other side waits no longer than the test.
struct Pipe(PathBuf);

impl Pipe {
    fn at(path: PathBuf) -> Self {
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        Self(path)
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = OpenOptions::new().read(true).write(true).open(&self.0);
    }
}

/// Pipes, sockets and devices, there at the start and made later: they are passed over, the others are read, and the server
/// ends when it is asked to.
#[test]
fn what_is_no_file_stops_nothing() {
    let place = Place::new();
    let mill = place.write(&format!("{MILL}/mill.jsonl"), said("mill", 1, "One"));
    let agent = json!({"type": "user", "isSidechain": true, "sessionId": "mill", "agentId": "a", "uuid": "a-1",
        "timestamp": "2026-03-01T09:00:09.000Z", "message": {"role": "user", "content": "Look around"}});
    place.write(&format!("{MILL}/mill/subagents/agent-a.jsonl"), format!("{agent}\n"));
    let at = |name: &str| place.path(&format!("{MILL}/{name}"));
    let before = [Pipe::at(at("pipe.jsonl")), Pipe::at(at("mill/subagents/agent-a.meta.json"))];
    let _socket = UnixListener::bind(at("socket.jsonl")).unwrap();
    symlink("/dev/zero", at("zero.jsonl")).unwrap();
    let (late, zero) = (at("late.jsonl"), at("late-zero.jsonl"));
    let mut server = following(place);
    wait_until("what is there is read", || {
        contents(&server, "mill") == ["One"] && contents(&server, "mill%2Fa") == ["Look around"]
    });
    let later = Pipe::at(late);
    symlink("/dev/zero", zero).unwrap();
    append(&mill, &said("mill", 2, "Two"));
    wait_until("what comes later is read", || contents(&server, "mill") == ["One", "Two"]);
    let listed = server.with_key("GET", "/v1/projects", "").json();
    let skipped = listed["projects"][0]["skipped"].as_array().unwrap();
    let words = |file: &Value| {
        let path = file["path"].as_str().unwrap();
        format!("{} {}", path.rsplit('/').next().unwrap(), file["reason"].as_str().unwrap())
    };
    assert_eq!(
        skipped.iter().map(words).collect::<Vec<_>>(),
        [
            "late-zero.jsonl leads to what is no file",
            "late.jsonl is a named pipe",
            "agent-a.meta.json is a named pipe",
            "pipe.jsonl is a named pipe",
            "socket.jsonl is a socket",
            "zero.jsonl leads to what is no file",
        ]
    );
    server.terminate();
    assert!(server.ended(END).success());
    drop((before, later));
}

/// A pipe that nobody writes to doesn't hold up the end.
#[test]
fn it_ends_in_time_beside_a_pipe() {
    let place = Place::new();
    place.write(&format!("{MILL}/mill.jsonl"), said("mill", 1, "One"));
    let pipe = Pipe::at(place.path(&format!("{MILL}/pipe.jsonl")));
    let mut server = following(place);
    wait_until("the import begins", || {
        !server.with_key("GET", "/v1/imports", "").json()["imports"].as_array().unwrap().is_empty()
    });
    server.terminate();
    assert!(server.ended(END).success());
    drop(pipe);
}

/// A line of more than 64 MiB is a note with its size. What comes behind it is read, it isn't held in memory, and the file is
/// exported as it is.
#[test]
fn a_line_that_is_too_long() {
    const LONG: u64 = 200 << 20;
    let place = Place::new();
    let path = place.write(&format!("{MILL}/mill.jsonl"), said("mill", 1, "Before"));
    let file = OpenOptions::new().append(true).open(&path).unwrap();
    // It takes no room on the disk.
    file.set_len(file.metadata().unwrap().len() + LONG).unwrap();
    append(&path, &format!("\n{}", said("mill", 2, "After")));
    let server = following(place);
    let note = "A line of 209715201 bytes, longer than the 64 MiB that are read; the exported file has all of it";
    wait_until("the line is a note", || contents(&server, "mill") == ["Before", note, "After"]);
    append(&path, &said("mill", 3, "Later"));
    wait_until("what comes later is read", || contents(&server, "mill") == ["Before", note, "After", "Later"]);
    let detail = server.with_key("GET", "/v1/sessions/mill/messages/2", "").json();
    assert_eq!((&detail["records"][0]["len"], &detail["records"][0]["cut"]), (&json!(LONG + 1), &json!(true)));
    let exported = server.with_key("GET", "/v1/sessions/mill/export?format=original", "");
    assert!(exported.body == std::fs::read(&path).unwrap(), "the exported file is another one");
    assert!(server.most_memory() < 400 << 20, "{} bytes of memory", server.most_memory());
}

/// An import that takes minutes ends with the server, and the next start goes on with what there is.
#[test]
fn it_ends_in_time_while_it_imports() {
    let place = Place::new();
    let path = place.write(&format!("{MILL}/mill.jsonl"), said("mill", 1, "One"));
    OpenOptions::new().append(true).open(&path).unwrap().set_len(40 << 30).unwrap();
    let mut server = following(place);
    let read = |server: &Server| {
        let health = server.with_key("GET", "/v1/health", "").json();
        health["source_bytes"].as_u64().unwrap()
    };
    wait_until("the import has begun", || read(&server) > 1 << 20);
    server.terminate();
    assert!(server.ended(END).success());
    let mut server = server.again();
    assert_eq!(contents(&server, "mill"), ["One"]);
    let before = read(&server);
    assert!(before > 1 << 20);
    wait_until("the import goes on where it was", || read(&server) > before);
    server.terminate();
    assert!(server.ended(END).success());
}
