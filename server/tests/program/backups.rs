//! Backups beside a running server, restored elsewhere; a store that moves to the other engine and back.

use crate::support::{PATIENCE, Place, Server, fixture, fresh_postgres, wait_until};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::process::Stdio;

/// All sessions with all of their bytes, by file of their export. Exports are in the audit log.
fn sessions(place: &Place, options: &[&str], folder: &str) -> BTreeMap<String, Vec<u8>> {
    place.out(&[&["export", "--all", "--format", "jsonl", "--output", folder], options].concat());
    let files = std::fs::read_dir(place.path(folder)).unwrap().map(|entry| entry.unwrap());
    let read = |entry: DirEntry| (entry.file_name().to_str().unwrap().to_owned(), std::fs::read(entry.path()).unwrap());
    let all: BTreeMap<_, _> = files.map(read).collect();
    assert!(all.len() > 15, "{}", all.len());
    all
}

/// The audit log, with its hashes. That it was exported is its next entry.
fn log(place: &Place, options: &[&str]) -> String {
    place.out(&[&["audit", "--json"], options].concat())
}

/// A store with what people and agents do beside transcripts.
fn filled() -> Place {
    let place = Place::new();
    place.out(&["import", fixture("browser/projects").to_str().unwrap(), fixture("transcripts").to_str().unwrap()]);
    let mut server = Server::start_in(place, &[]);
    server.cookie();
    let key = server.place.out(&["key", "create", "--name", "bot", "--json"]);
    assert!(key.contains("\"id\""), "{key}");
    let posted = server.with_key("POST", "/v1/sessions", r#"{"agent": "bot", "title": "Kept"}"#);
    let session = posted.json()["id"].as_str().unwrap().to_owned();
    let message =
        server.with_key("POST", &format!("/v1/sessions/{session}/messages"), r#"{"content": "needle \u0000"}"#);
    assert_eq!(message.status, 201, "{}", message.text());
    // Beside the server, whose last commits are in the log of the database alone.
    let made = server.place.out(&["backup", "while-it-runs"]);
    assert!(made.contains(" messages, "), "{made}");
    server.terminate();
    server.ended(PATIENCE);
    std::mem::replace(&mut server.place, Place::new())
}

#[test]
fn a_backup_comes_back_whole_with_search_audit_log_and_bytes() {
    let from = filled();
    from.write("data/notices.json", "{}");
    let (before, entries) = (sessions(&from, &[], "before"), log(&from, &[]));
    let said = from.out(&["backup", "backups", "--keep", "7d,4w,12m"]);
    assert!(said.starts_with("Backup 20") && said.contains(" in backups: "), "{said}");
    let checked = from.out(&["backup", "verify", "backups"]);
    assert!(checked.starts_with("ok    20"), "{checked}");
    let listed: Value = serde_json::from_str(&from.out(&["backup", "list", "backups", "--json"])).unwrap();
    assert_eq!(listed["version"], env!("CARGO_PKG_VERSION"));
    let mut targets = vec![("elsewhere".to_owned(), vec!["--data-dir", "elsewhere"])];
    let postgres = fresh_postgres("restored");
    if let Some(url) = &postgres {
        targets.push((url.clone(), vec!["--database", url, "--data-dir", "of-postgres"]));
    }
    for (name, options) in targets {
        let said = from.out(&[&["restore", "backups"], &options[..]].concat());
        assert!(said.starts_with("Restored 20"), "{said}");
        assert!(log(&from, &options).starts_with(&entries), "another audit log in {name}");
        let folder = format!("after-{}", options.len());
        assert!(sessions(&from, &options, &folder) == before, "other sessions in {name}");
        let again = from.seen(&[&["restore", "backups"], &options[..]].concat());
        assert!(again.contains("exit 1") && again.contains("isn't empty"), "{again}");
    }
    assert_eq!(std::fs::read_to_string(from.path("elsewhere/notices.json")).unwrap(), "{}");
    // Restored messages are found by their words.
    std::fs::rename(from.path("data"), from.path("lost")).unwrap();
    std::fs::rename(from.path("elsewhere"), from.data()).unwrap();
    let server = Server::start_in(from, &[]);
    let found = server.with_key("GET", "/v1/search?q=needle", "");
    assert!(found.text().contains("Kept"), "{}", found.text());
}

#[test]
fn a_store_moves_to_the_other_engine_and_back() {
    let Some(url) = fresh_postgres("moved") else { return };
    let place = filled();
    let (before, entries) = (sessions(&place, &[], "before"), log(&place, &[]));
    let file = std::fs::read(place.path("data/verbatim.db")).unwrap();
    let said = place.out(&["migrate-store", "--to", &url]);
    assert!(said.contains("Both hold the same rows, by their hashes"), "{said}");
    assert!(std::fs::read(place.path("data/verbatim.db")).unwrap() == file, "the source was touched");
    let back = place.out(&["migrate-store", "--database", &url, "--to", "back"]);
    assert!(back.contains("Start the server: `verbatim serve --data-dir "), "{back}");
    for options in [&["--database", &*url, "--data-dir", "none"][..], &["--data-dir", "back"]] {
        assert!(log(&place, options).starts_with(&entries), "{options:?}");
        assert!(sessions(&place, options, &format!("after-{}", options.len())) == before, "{options:?}");
    }
    let again = place.seen(&["migrate-store", "--to", "back"]);
    assert!(again.contains("[dir]/back/verbatim.db isn't empty"), "{again}");
    let same = place.seen(&["migrate-store", "--to", "data"]);
    assert!(same.contains("`--to` names the database that is copied"), "{same}");
}

/// Ends the program without a chance to clean up, in each phase; the next run is none the worse for it.
#[test]
fn a_backup_or_restore_that_is_killed_anywhere_can_be_repeated() {
    let place = filled();
    let before = sessions(&place, &[], "before");
    let count = |folder: &str| -> usize {
        let entries = std::fs::read_dir(place.path(folder)).into_iter().flatten().flatten();
        entries.map(|entry| std::fs::read_dir(entry.path()).map_or(1, Iterator::count)).sum()
    };
    for most in 0..10 {
        let mut child = place.program(&["backup", "backups"]).stdout(Stdio::null()).spawn().unwrap();
        wait_until("parts are written", || count("backups/parts") >= most);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    place.out(&["backup", "backups"]);
    assert!(place.out(&["backup", "verify", "backups"]).starts_with("ok    20"));
    let filling = place.path("new/verbatim.db-filling");
    let size = || {
        std::fs::metadata(&filling).map_or(0, |it| it.len())
            + std::fs::metadata(place.path("new/verbatim.db-filling-wal")).map_or(0, |it| it.len())
    };
    for step in 0..10 {
        let mut child = place
            .program(&["restore", "backups", "--data-dir", "new"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("some is restored", || size() >= step * 100_000 || place.path("new/verbatim.db").exists());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    if !place.path("new/verbatim.db").exists() {
        place.out(&["restore", "backups", "--data-dir", "new"]);
    }
    assert!(sessions(&place, &["--data-dir", "new"], "after") == before);
}

#[test]
fn the_server_is_told_when_to_make_backups() {
    let place = Place::new();
    let plan = place.path("data/backup.json");
    let said = place.seen(&["backup", "/mnt/backups", "--schedule", "0 3 * * *", "--keep", "7d, 4w"]);
    assert!(said.contains("out: The server makes a backup into /mnt/backups next at 20"), "{said}");
    let written: Value = serde_json::from_slice(&std::fs::read(&plan).unwrap()).unwrap();
    assert_eq!(written, serde_json::json!({"place": "/mnt/backups", "schedule": "0 3 * * *", "keep": "7d,4w"}));
    assert_eq!(place.out(&["backup", "--schedule", "off"]), "The server makes no more backups\n");
    assert_eq!(place.out(&["backup", "--schedule", "off"]), "The server makes no backups\n");
    assert!(!plan.exists());
    let mut all = String::new();
    for arguments in [
        &["backup", "/mnt/backups", "--schedule", "daily"][..],
        &["backup", "/mnt/backups", "--schedule", "0 0 30 2 *"],
        &["backup", "--schedule", "0 3 * * *"],
        &["backup", "one.tar", "--schedule", "0 3 * * *"],
        &["backup", "data/backups", "--schedule", "0 3 * * *"],
        &["backup", "backups", "--keep", "7x"],
        &["backup"],
        &["backup", "backups"],
        &["backup", "verify", "backups"],
        &["backup", "list", "backups"],
        &["restore", "backups"],
        &["migrate-store", "--to", "elsewhere"],
    ] {
        all += &place.seen(arguments);
    }
    assert!(!plan.exists());
    insta::assert_snapshot!(all);
}
