//! Agents whose files lie in several places of a home: those that are read, and those that are counted alone.

use crate::support::{Place, Server, fixture, wait_until};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

/// A home with a database of each agent whose databases aren't read, with one of Cursor's chats, and with Crush's list
/// of two projects, of which one is gone.
fn home() -> Place {
    let place = Place::new();
    place.write("home/.hermes/state.db", "A database of Hermes");
    place.write("home/.hermes/profiles/ada/state.db", "Another");
    place.write("home/.hermes/profiles/ada/other.db", "No database of sessions");
    place.write("home/.local/share/kiro-cli/data.sqlite3", "A database of Kiro");
    place.write("home/.config/Cursor/User/globalStorage/state.vscdb", "A database of the editor");
    let chat = std::fs::read(fixture("databases/cursor_chat.db")).unwrap();
    place.write("home/.cursor/chats/0d26/5e55a0de-0000-4000-8000-0000000000c7/store.db", chat);
    place.write("garden/.crush/crush.db", std::fs::read(fixture("databases/crush.db")).unwrap());
    let (garden, gone) = (place.path("garden"), place.path("gone"));
    let projects = json!([
        {"path": garden, "data_dir": garden.join(".crush"), "last_accessed": "2026-03-01T09:00:00Z"},
        {"path": gone, "data_dir": ".crush", "last_accessed": "2026-02-01T09:00:00Z"},
    ]);
    place.write("home/.local/share/crush/projects.json", json!({ "projects": projects }).to_string());
    place
}

/// Files that aren't read are named by the start, the list of folders, `doctor` and `import --list`.
#[test]
fn files_of_known_agents_that_are_not_read_are_named() {
    let place = home();
    let (doctor, list) = (place.out(&["doctor"]), place.out(&["import", "--list"]));
    insta::assert_snapshot!("doctor", place.mask(doctor.split_once("access ").unwrap().1));
    insta::assert_snapshot!("list", place.mask(&list));
    let editor = place.path("home/.config/Cursor/User/globalStorage/state.vscdb");
    // Its tables tell whose it is; these bytes have none.
    assert!(!place.run(&["import", editor.to_str().unwrap()]).status.success());

    let mut child =
        place.program(&["serve", "--listen", "127.0.0.1:0", "--yes"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let server = Server::adopt(place, child, &line);
    let sessions = || {
        let list = server.with_key("GET", "/v1/sessions", "").json();
        let told =
            |session: &Value| format!("{} {}", session["agent"].as_str().unwrap(), session["title"].as_str().unwrap());
        let mut all: Vec<String> = list["sessions"].as_array().unwrap().iter().map(told).collect();
        all.sort();
        all
    };
    wait_until("what is found is read", || sessions() == ["crush Water the garden beds", "cursor Water two beds"]);
    let listed = server.with_key("GET", "/v1/projects", "").json();
    let told = |folder: &Value| {
        let text = |field: &str| folder[field].as_str().unwrap_or_default().to_owned();
        server.place.mask(&format!("{} {} {} {}", text("agent"), text("what"), text("path"), folder["files"]))
    };
    let all = |list: &Value| list.as_array().unwrap().iter().map(told).collect::<Vec<_>>();
    assert_eq!(
        all(&listed["unread"]),
        [
            "cursor a database of Cursor's editor [dir]/home/.config/Cursor/User/globalStorage 1",
            "hermes a database of Hermes [dir]/home/.hermes 1",
            "hermes a database of Hermes [dir]/home/.hermes/profiles 1",
            "kiro a database of Kiro [dir]/home/.local/share/kiro-cli 1",
        ]
    );
    assert_eq!(
        all(&listed["projects"]),
        ["cursor  [dir]/home/.cursor/chats 1", "crush  [dir]/garden/.crush 1"],
        "a project that is gone has no folder"
    );
    let page = server.get("/folders", &[("Cookie", &server.cookie())]).text();
    assert!(page.contains("a database of Kiro"), "{page}");
    server.terminate();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    insta::assert_snapshot!("start", server.place.mask(&rest));
}
