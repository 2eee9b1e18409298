//! Start and end of the server: what it leaves on the disk, and how it goes.

use crate::support::{PATIENCE, Place, Server, fixture, said};
use insta::assert_snapshot;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn only_the_owner_reads_what_lies_there() {
    let mut server = Server::start();
    let data = server.place.data();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for entry in data.read_dir().unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
    let credential: serde_json::Value =
        serde_json::from_slice(&std::fs::read(data.join("server.json")).unwrap()).unwrap();
    assert_eq!(credential["url"], server.origin());
    server.terminate();
    assert!(server.ended(PATIENCE).success());
    let mut left: Vec<String> =
        data.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    // The reserve for a full disk, made beside what is served.
    left.retain(|name| name != "reserve");
    assert_eq!(
        left,
        ["machines", "server.lock", "transcripts", "verbatim.db"],
        "no credential, and no log beside the database"
    );
}

/// An open event stream ends with the server, which waits for nobody.
#[test]
fn it_ends_whatever_is_open() {
    let mut server = Server::start();
    let events = server.events("");
    let mut half = server.connect();
    half.write_all(b"GET /healthz HT").unwrap();
    let idle = server.connect();
    server.terminate();
    assert!(server.ended(PATIENCE).success());
    events.end();
    drop((half, idle));
    assert!(!server.place.data().join("server.json").exists());
}

/// A new line of a transcript is an event in the stream of an open page.
#[test]
fn a_new_line_reaches_an_open_stream() {
    let place = Place::new();
    let file = place.write("claude/projects/-home-ada-mill/mill.jsonl", said("mill", 1, "One"));
    let folder = place.path("claude");
    let server = Server::start_in(place, &["--claude-dir", folder.to_str().unwrap()]);
    let mut events = server.events("after=1.0");
    let mut wait_for = |sign: &str| {
        loop {
            let (_, data) = events.next();
            if data.contains(sign) {
                return data;
            }
        }
    };
    wait_for("\"to_seq\":1");
    // The first reading is done when its import says so: lines that come later are followed.
    while server.with_key("GET", "/v1/imports", "").json()["imports"][0]["done"] != true {}
    std::fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(said("mill", 2, "Two").as_bytes()).unwrap();
    let event = wait_for("\"to_seq\":2");
    assert!(!event.contains("Two"), "positions, never content");
    let page = server.with_key("GET", "/v1/sessions/mill/messages", "").json();
    assert_eq!(page["messages"][1]["content"], "Two");
}

#[test]
fn a_crash_leaves_nothing_in_the_way() {
    let mut server = Server::start();
    server.kill();
    let place = std::mem::replace(&mut server.place, Place::new());
    assert!(place.data().join("server.json").exists(), "it had no time to clean up");
    let open = place.run(&["open"]);
    assert!(!open.status.success(), "no server answers");
    assert_eq!(place.out(&["sessions", "--json"]), "[]\n");
    let again = Server::start_in(place, &[]);
    assert_eq!(again.get("/healthz", &[]).text(), "ok\n");
    assert_eq!(again.with_key("GET", "/v1/me", "").json()["kind"], "local");
}

#[test]
fn two_servers_do_not_share_a_folder_or_a_port() {
    let server = Server::start();
    let seen = server.place.seen(&["serve", "--listen", "127.0.0.1:0", "--no-discover"]);
    let pid = std::fs::read_to_string(server.place.data().join("server.lock")).unwrap();
    assert_snapshot!(seen.replace(&format!("process {}", pid.trim()), "process [pid]"));
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let other = Place::new();
    let seen = other.seen(&["serve", "--listen", &format!("127.0.0.1:{port}"), "--no-discover"]);
    assert_snapshot!(seen.replace(&port.to_string(), "[port]"));
    assert!(!other.data().join("server.json").exists(), "what doesn't run has no credential");
}

#[test]
fn addresses_that_let_others_in() {
    let place = Place::new();
    let mut seen = String::new();
    for address in
        ["0.0.0.0:7117", "[::]:0", "192.0.2.1:7117", "[::ffff:0.0.0.0]:0", "localhost", "127.0.0.1", "127.0.0.1:99999"]
    {
        seen += &place.seen(&["serve", "--no-discover", "--listen", address]);
    }
    assert_snapshot!(seen);
    assert!(!place.data().exists(), "it was refused before anything was made");
}

/// Found folders are listed and wait; named ones are read.
#[test]
fn nothing_is_read_without_consent() {
    let place = Place::new();
    place.write("home/.claude/projects/-home-ada-mill/mill.jsonl", said("mill", 1, "One"));
    let (asked, named) = (&["serve", "--listen", "127.0.0.1:0"], fixture("browser"));
    let server = {
        let mut child = place.program(asked).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Server::adopt(place, child, &line)
    };
    let projects = server.with_key("GET", "/v1/projects", "").json();
    assert_eq!((&projects["projects"][0]["state"], &projects["projects"][0]["files"]), (&"waiting".into(), &1.into()));
    assert_eq!(server.with_key("GET", "/v1/sessions", "").json()["all"], 0);
    drop(server);
    let server = Server::start_in(Place::new(), &["--claude-dir", named.to_str().unwrap()]);
    let projects = server.with_key("GET", "/v1/projects", "").json();
    assert!(projects["projects"].as_array().unwrap().iter().all(|p| p["state"] == "following"));
}

/// Commands without a setting of their own, as a person types them.
fn typed(server: &Server, arguments: &[&str]) -> std::process::Output {
    server.place.program(arguments).env_remove("VERBATIM_DATA_DIR").output().unwrap()
}

fn out(output: std::process::Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_example_in_a_folder_of_its_own() {
    let place = Place::new();
    let folder = place.path("example");
    let folder = folder.to_str().unwrap();
    let mut server = Server::start_in(place, &["--demo", "--data-dir", folder]);
    assert!(server.place.path("example/verbatim.db").exists());
    assert!(!server.place.data().exists());
    for named in [&["--data-dir", folder][..], &[]] {
        let run = |arguments: &[&str]| out(typed(&server, &[arguments, named].concat()));
        assert!(run(&["open"]).starts_with(&server.origin()));
        assert!(run(&["key", "create", "--name", "bot"]).starts_with("vbt_"));
        let session = run(&["send", "To the example"]);
        assert!(run(&["sessions"]).contains("To the example"));
        assert!(run(&["show", session.trim()]).contains("To the example"));
    }
    let listed = server.with_folder_key(folder, "/v1/sessions?agent=shell");
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 2);
    // Its data stays. Once it has ended, commands look where they usually do.
    server.terminate();
    assert!(server.ended(PATIENCE).success());
    assert!(out(typed(&server, &["sessions", "--data-dir", folder])).contains("To the example"));
    assert_eq!(out(typed(&server, &["sessions", "--json"])), "[]\n");
    let gone = typed(&server, &["open"]);
    assert!(String::from_utf8_lossy(&gone.stderr).contains("no server is running on"));
}

/// A store that is there is used, whatever runs elsewhere.
#[test]
fn a_server_elsewhere_takes_nothing_from_the_usual_folder() {
    let server = Server::start_in(Place::new(), &["--demo"]);
    let home = server.place.path("home/.local/share/verbatim");
    out(typed(&server, &["send", "--data-dir", home.to_str().unwrap(), "At home"]));
    assert!(out(typed(&server, &["sessions"])).contains("At home"));
    assert!(out(typed(&server, &["open"])).starts_with(&server.origin()));
}

#[test]
fn the_example_keeps_to_itself() {
    let server = Server::start_in(Place::new(), &["--demo"]);
    assert!(!server.place.data().exists(), "its data is elsewhere, and goes with it");
    let cookie = server.log_in(&server.code).header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let list = server.get("/v1/sessions", &[("Cookie", &cookie)]).json();
    assert!(list["sessions"].as_array().unwrap().iter().all(|s| s["agent"] == "demo"));
    for session in list["sessions"].as_array().unwrap() {
        let page = server.get(&format!("/s/{}?dev=1", session["id"].as_str().unwrap()), &[("Cookie", &cookie)]);
        assert_eq!(page.status, 200, "{}", session["title"]);
    }
}
