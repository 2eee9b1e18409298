//! Files in a followed folder can't stop the server, and files in its own folder are its owner's alone.

use crate::support::{PATIENCE, Place, Server, said, wait_until};
use serde_json::{Value, json};
use std::fs::{File, OpenOptions, Permissions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long the server may take to end.
const END: Duration = Duration::from_secs(5);
const MILL: &str = "agent/projects/-home-ada-mill";

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

/// The folder of an agent that was never used on this machine is read once it is.
#[test]
fn a_folder_that_comes_later_is_followed() {
    let server = following(Place::new());
    server.place.write(&format!("{MILL}/mill.jsonl"), said("mill", 1, "One"));
    wait_until("it is read", || contents(&server, "mill") == ["One"]);
    let projects = server.with_key("GET", "/v1/projects", "").json();
    let folder = server.place.path(MILL).display().to_string();
    assert_eq!((&projects["projects"][0]["path"], &projects["projects"][1]), (&folder.into(), &Value::Null));
}

/// Pipes, sockets and devices, there at the start and made later: they are passed over, the others are read, and the
/// server ends when it is asked to.
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

/// A line of more than 64 MiB is a note with its size. What comes behind it is read, it isn't held in memory, and the
/// file is exported as it is.
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

/// Every program sees the arguments of the others: the browser gets a file that only its owner reads, which goes again.
#[test]
fn the_code_is_in_no_argument() {
    let place = Place::new();
    let seen = place.path("seen");
    let browser =
        "#!/bin/sh\n{ echo \"$@\"; stat -c %a \"$1\"; cat \"$1\"; } >\"$0.seen\" && mv \"$0.seen\" \"$SEEN\"\n";
    let program = place.write("bin/xdg-open", browser);
    std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let mut command = place.program(&["serve", "--listen", "127.0.0.1:0", "--no-discover", "--open"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", place.path("bin").display())).env("SEEN", &seen);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let mut server = Server::adopt(place, child, &line);
    wait_until("the browser is opened", || seen.exists());
    let text = std::fs::read_to_string(&seen).unwrap();
    let (arguments, rest) = text.split_once('\n').unwrap();
    let page = server.place.data().join("open.html");
    assert_eq!(arguments, page.to_str().unwrap());
    let (mode, html) = rest.split_once('\n').unwrap();
    assert_eq!(mode, "600");
    let link = format!("{}/#c={}", server.origin(), server.code);
    assert!(html.contains(&format!("<meta http-equiv=\"refresh\" content=\"0; url={link}\">")), "{html}");
    assert_eq!(server.log_in(&server.code).status, 200);
    server.terminate();
    assert!(server.ended(PATIENCE).success());
    assert!(!page.exists());
}

/// Files that others might read are reported, and closed to them at the next start. A folder that holds other files is
/// left as it is.
#[test]
fn what_is_open_to_others_is_tightened() {
    let mut server = Server::start();
    server.terminate();
    assert!(server.ended(PATIENCE).success());
    let data = server.place.data();
    let chmod = |path: &Path, mode| std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let (database, lock, other) = (data.join("verbatim.db"), data.join("server.lock"), data.join("notes.txt"));
    for shared in [false, true] {
        chmod(&data, 0o755);
        chmod(&database, 0o644);
        chmod(&lock, 0o664);
        if shared {
            File::create(&other).unwrap();
            chmod(&other, 0o644);
        }
        let doctor = server.place.seen(&["doctor"]);
        let about = |path: &str, mode: &str| {
            format!("fail  access           [dir]/data{path} is open to others (mode {mode}); ")
        };
        for line in [about("", "0755"), about("/verbatim.db", "0644"), about("/server.lock", "0664")] {
            assert!(doctor.contains(&line), "{doctor}");
        }
        assert!(!doctor.contains("notes.txt") && doctor.contains("3 of the checks failed"), "{doctor}");
        let mut command = server.place.program(&["serve", "--listen", "127.0.0.1:0", "--no-discover"]);
        let mut child = command.env("RUST_LOG", "warn").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let mut errors = child.stderr.take().unwrap();
        let place = std::mem::replace(&mut server.place, Place::new());
        server = Server::adopt(place, child, &line);
        let modes = (mode(&data), mode(&database), mode(&lock));
        assert_eq!(modes, (if shared { 0o755 } else { 0o700 }, 0o600, 0o600));
        server.terminate();
        assert!(server.ended(PATIENCE).success());
        let mut said = String::new();
        errors.read_to_string(&mut said).unwrap();
        let said = server.place.mask(&said);
        assert!(
            said.contains("[dir]/data/verbatim.db is open to others (mode 0644): only you can read it from now on"),
            "{said}"
        );
        assert_eq!(said.contains("it contains files of other programs"), shared, "{said}");
    }
    assert_eq!(mode(&other), 0o644);
    let seen = Place::new();
    assert!(seen.seen(&["doctor"]).contains("ok    access           only you can read the data"));
    assert_eq!(mode(&seen.data()), 0o700, "made for the owner alone");
}
