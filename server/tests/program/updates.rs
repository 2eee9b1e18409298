//! Updates of the database: what is stored is whole afterwards, and a copy from before is beside it.

use crate::support::{PATIENCE, Place, Server, fixture};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

/// Stored databases of earlier schemas, by the number of their last migration: the same session from a transcript, and one
/// of posts. A release adds its own.
const SCHEMAS: [i64; 4] = [14, 33, 46, 56];

/// A data directory with a database of this schema.
fn place(schema: i64) -> Place {
    let place = Place::new();
    let packed = std::fs::read(fixture(&format!("databases/schema_{schema}.db.zst"))).unwrap();
    place.write("data/verbatim.db", zstd::decode_all(&*packed).unwrap());
    place
}

/// The number of the last migration of this program.
fn newest() -> i64 {
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations/sqlite")).unwrap();
    let number = |name: std::ffi::OsString| name.to_str().unwrap().split_once('_').unwrap().0.parse().unwrap();
    files.map(|file| number(file.unwrap().file_name())).max().unwrap()
}

/// The copies in the data directory, sorted by their names.
fn copies(place: &Place) -> Vec<PathBuf> {
    let names = std::fs::read_dir(place.data()).unwrap().map(|entry| entry.unwrap().path());
    let mut copies: Vec<_> = names.filter(|path| path.to_str().unwrap().contains("verbatim.db.before-")).collect();
    copies.sort();
    copies
}

/// The id, title and whole messages of each session.
fn stored(server: &Server) -> Vec<(Value, Value, Value)> {
    let list = server.with_key("GET", "/v1/sessions", "").json();
    let messages = |id: &Value| {
        let path = format!("/v1/sessions/{}/messages", id.as_str().unwrap());
        server.with_key("GET", &path, "").json()["messages"].clone()
    };
    let sessions = list["sessions"].as_array().unwrap().iter();
    sessions.map(|session| (session["id"].clone(), session["title"].clone(), messages(&session["id"]))).collect()
}

#[test]
fn databases_of_earlier_schemas_are_copied_and_whole() {
    let mut found = Vec::new();
    for schema in SCHEMAS {
        let place = place(schema);
        let first = place.run(&["sessions"]);
        assert!(first.status.success(), "{schema}");
        let (said, copies) = (String::from_utf8(first.stderr).unwrap(), copies(&place));
        if schema < newest() {
            let [copy] = &copies[..] else { panic!("{schema}: {copies:?}") };
            assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            let name = copy.file_name().unwrap().to_str().unwrap();
            assert!(name.starts_with(&format!("verbatim.db.before-{}-20", newest())), "{name}");
            let copy = copy.display();
            let expected = format!(
                "The database was updated for this version. A copy from before is {copy}; `verbatim doctor` lists copies\n"
            );
            assert_eq!(said, expected);
        } else {
            assert_eq!((said.as_str(), copies.len()), ("", 0));
        }
        let doctor = place.out(&["doctor"]);
        assert!(doctor.contains("ok    stored data      complete: each session has all of its messages\n"), "{doctor}");
        let listed: Vec<&str> =
            doctor.lines().filter_map(|line| line.strip_prefix("ok    update copy      ")).collect();
        assert_eq!(listed, copies.iter().map(|copy| copy.to_str().unwrap()).collect::<Vec<_>>());

        let server = Server::start_in(place, &[]);
        let sessions = stored(&server);
        let posted = format!("/v1/sessions/{}/messages", sessions[0].0.as_str().unwrap());
        let reply = server.with_key("POST", &posted, r#"{"id": "m3", "content": "One more"}"#);
        assert_eq!((reply.status, &reply.json()["seq"]), (201, &json!(3)), "{}", reply.text());
        let hits = server.with_key("GET", "/v1/search?q=wheel", "").json();
        assert_eq!(hits["hits"].as_array().unwrap().len(), 2, "{hits}");
        found.push(sessions);

        // The copy is a database like any other.
        for copy in copies {
            let before = Place::new();
            before.write("data/verbatim.db", std::fs::read(copy).unwrap());
            assert_eq!(stored(&Server::start_in(before, &[])), found[0]);
        }
    }
    let words = |sessions: &[(Value, Value, Value)]| {
        let contents = sessions.iter().flat_map(|(_, _, messages)| messages.as_array().unwrap().clone());
        contents.map(|message| message["content"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expected = [
        "The build begins",
        "The build is green",
        "Which wheel turns the other one?",
        "The **water wheel** turns the mill stone.",
    ];
    assert_eq!(words(&found[0]), expected);
    for (sessions, schema) in found.iter().zip(SCHEMAS) {
        assert_eq!(sessions, &found[0], "{schema}");
    }
}

#[test]
fn the_two_newest_copies_are_kept() {
    let place = place(33);
    for name in ["before-9-2025-12-31-235959", "before-20-2026-01-01-000000", "before-10-2026-01-02-000000"] {
        place.write(&format!("data/verbatim.db.{name}"), "");
    }
    // A process was killed while it copied.
    place.write("data/verbatim.db-copying", "half of it");
    place.out(&["sessions"]);
    let copies = copies(&place);
    assert_eq!(copies[0], place.data().join("verbatim.db.before-10-2026-01-02-000000"));
    assert!(copies[1].metadata().unwrap().len() > 100_000);
    assert_eq!(copies.len(), 2);
    assert!(!place.data().join("verbatim.db-copying").exists());
}

/// The update before it was killed between two migrations: the copy from before it is the one that counts.
#[test]
fn an_update_that_goes_on_keeps_its_copy() {
    let (half, before) = (place(46), place(33));
    let copy = format!("data/verbatim.db.before-{}-2026-01-01-000000", newest());
    let copy = half.write(&copy, std::fs::read(before.data().join("verbatim.db")).unwrap());
    let said = String::from_utf8(half.run(&["sessions"]).stderr).unwrap();
    assert!(said.contains(&format!("A copy from before is {};", copy.display())), "{said}");
    assert_eq!(copies(&half), [copy]);
}

#[test]
fn no_copy_is_made_where_none_is_wanted_or_due() {
    let mut server = Server::start_in(place(33), &["--no-update-copy"]);
    assert_eq!((stored(&server).len(), copies(&server.place).len()), (2, 0));
    server.terminate();
    assert!(server.ended(PATIENCE).success());
    let server = server.again();
    assert_eq!((stored(&server).len(), copies(&server.place).len()), (2, 0));
    let new = Server::start();
    assert!(copies(&new.place).is_empty());
}

/// Nothing is changed then.
#[test]
fn a_copy_that_can_not_be_written_ends_the_start() {
    let place = place(46);
    let before = std::fs::read(place.data().join("verbatim.db")).unwrap();
    // No file may grow beyond 200 KiB; the signal that would end the process is ignored, so that writing fails.
    let script = format!("trap '' XFSZ; ulimit -f 400; exec '{}' sessions", env!("CARGO_BIN_EXE_verbatim"));
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script]).env_clear().env("HOME", place.path("home")).env("RUST_LOG", "off");
    let output = command.env("PATH", "/usr/bin:/bin").env("VERBATIM_DATA_DIR", place.data()).output().unwrap();
    let expected = "verbatim: [dir]/data/verbatim.db can't be opened: it must be updated for this version, and can't be copied before that: \
        the disk that holds the database can't be read or written\n\
        Check the disk and start again; nothing was changed. `verbatim serve --no-update-copy` updates without a copy: copy the database to another disk first\n";
    assert_eq!(
        (output.status.code(), place.mask(&String::from_utf8(output.stderr).unwrap())),
        (Some(1), expected.into())
    );
    // The header, of 100 bytes, tells which SQLite opened it last.
    assert!(std::fs::read(place.data().join("verbatim.db")).unwrap()[100..] == before[100..]);
    let mut left: Vec<_> = place.data().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    left.retain(|name| !["verbatim.db-shm", "verbatim.db-wal"].iter().any(|beside| name == beside));
    assert_eq!(left, ["server.lock", "verbatim.db"]);
    assert!(place.out(&["sessions"]).contains("Nightly build"));
    assert_eq!(copies(&place).len(), 1);
}
