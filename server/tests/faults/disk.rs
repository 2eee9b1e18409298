//! The disk is full.

use crate::http::Connection;
use crate::poster::content;
use crate::support::{PATIENCE, Place, Reply, Server, fixture, wait_until};
use crate::town::Town;
use model::Micros;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use store::{Database, Store};

const NOT_TESTED: &str = "not tested: mounting a small disk needs root";

/// A small disk in memory, for as long as this lives.
struct Disk(PathBuf);

impl Disk {
    /// None where mounting isn't allowed.
    fn mount(at: &Path) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=24m", "tmpfs"]).arg(at).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Self(at.to_owned()))
    }

    /// Leaves no room at all.
    fn fill(&self) {
        let mut file = File::options().create(true).append(true).open(self.filler()).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }

    fn reserve(&self) -> Option<u64> {
        self.0.join("reserve").metadata().ok().map(|found| found.len())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_refuses_and_loses_nothing() {
    let place = Place::new();
    let Some(disk) = Disk::mount(&place.data()) else {
        println!("{NOT_TESTED}");
        return;
    };
    let mut server = Server::start_in(place, &["--posts-per-second", "0"]);
    let town = Town::found(&server, 1).await;
    let filler = disk.filler();
    std::fs::write(&filler, vec![0; 8 << 20]).unwrap();
    let mut connection = Connection::open(town.host(0)).await.unwrap();
    let path = format!("/v1/sessions/{}/messages", town.sessions[0]);
    let mut stored = BTreeMap::new();
    let mut count = 0;
    // Twice: it is full, and has room again without a restart.
    for round in 0..2 {
        let before = stored.len();
        let refused = loop {
            let id = format!("message-{count}");
            let text: Vec<String> = (0..40).map(|n| content(count, n)).collect();
            let body = json!({ "id": id, "content": text.join(" ") }).to_string();
            let answer = connection.send("POST", &path, &town.agent, &body).await.unwrap();
            count += 1;
            match answer.status {
                // It was full a moment ago.
                507 if !filler.exists() && round == 1 && stored.len() == before => tokio::task::yield_now().await,
                201 => drop(stored.insert(id, answer.json()["seq"].as_i64().unwrap())),
                _ => break answer,
            }
        };
        let refused = (refused.status, refused.json()["code"].as_str().unwrap().to_owned());
        assert!(
            [(507, "disk_full"), (503, "disk_failed")]
                .iter()
                .any(|(status, code)| (*status, *code) == (refused.0, &*refused.1)),
            "{refused:?}"
        );
        let read = connection.send("GET", &path, &town.person, "").await.unwrap();
        assert_eq!(read.status, 200, "what is there is read");
        if filler.exists() {
            std::fs::remove_file(&filler).unwrap();
        }
    }
    let messages = town.messages(&town.sessions[0]).await;
    let found: BTreeMap<String, i64> = messages
        .iter()
        .map(|message| (message["id"].as_str().unwrap().to_owned(), message["seq"].as_i64().unwrap()))
        .collect();
    assert_eq!(found, stored, "all that was accepted, and nothing that was refused");
    server.kill();
}

/// An update needs room for a copy of the database. Without it nothing is changed.
#[test]
fn an_update_without_room_for_a_copy_is_refused() {
    let place = Place::new();
    let Some(disk) = Disk::mount(&place.data()) else {
        println!("{NOT_TESTED}");
        return;
    };
    let stored = zstd::decode_all(&*std::fs::read(fixture("databases/schema_33.db.zst")).unwrap()).unwrap();
    let file = place.write("data/verbatim.db", &stored);
    std::fs::write(disk.filler(), vec![0; 10 << 20]).unwrap();
    let refused = place.run(&["serve", "--listen", "127.0.0.1:0", "--no-discover"]);
    let said = place.mask(&String::from_utf8(refused.stderr).unwrap());
    let expected = "verbatim: [dir]/data/verbatim.db can't be opened: it must be updated for this version, and the disk has no room for a \
        copy before that: 18 MB are needed, 14 MB are free\n\
        Free some disk space and start again; nothing was changed. `verbatim serve --no-update-copy` updates without a copy: copy the database \
        to another disk first\n";
    assert_eq!((refused.status.code(), said.as_str()), (Some(1), expected));
    // The header, of 100 bytes, tells which SQLite opened it last.
    assert!(std::fs::read(&file).unwrap()[100..] == stored[100..], "nothing was changed");
    std::fs::remove_file(disk.filler()).unwrap();
    assert!(place.out(&["sessions"]).contains("Nightly build"));
}

fn wait_for_health(server: &Server, wanted: &str) {
    wait_until(wanted, || server.get("/healthz", &[]).text() == wanted);
}

fn post(server: &Server, path: &str, body: &Value) -> Reply {
    server.with_key("POST", path, &body.to_string())
}

/// Sets the last use of all log-ins and keys to an hour ago, so that their next use is written.
async fn use_long_ago(place: &Place) {
    let store = Store::open(&Database::Sqlite(place.data().join("verbatim.db"))).await.unwrap();
    let workspace = store.workspace("default");
    for login in workspace.logins().await.unwrap() {
        workspace.touch_login(&login.hash, Micros(login.last_used_at.0 - 3600 * Micros::SECOND)).await.unwrap();
    }
    for key in workspace.agent_keys().await.unwrap() {
        workspace.touch_agent_key(&key.id, Micros(key.created_at.0 - 3600 * Micros::SECOND)).await.unwrap();
    }
    store.close().await;
}

/// A server with a session, a log-in and an agent's key that were used long ago, on a disk of their own. None where
/// mounting isn't allowed.
async fn settled() -> Option<(Disk, Server, String, String)> {
    let place = Place::new();
    let disk = Disk::mount(&place.data())?;
    let mut server = Server::start_in(place, &[]);
    let (cookie, key) = (server.cookie(), server.agent_key());
    assert_eq!(post(&server, "/v1/sessions", &json!({"agent": "bot", "id": "mill"})).status, 201);
    assert_eq!(post(&server, "/v1/sessions/mill/messages", &json!({"id": "rye", "content": "Rye"})).status, 201);
    server.terminate();
    server.ended(PATIENCE);
    use_long_ago(&server.place).await;
    let server = server.again();
    wait_until("a reserve", || disk.reserve() == Some((24 << 20) / 16));
    Some((disk, server, cookie, key))
}

#[tokio::test]
async fn a_full_disk_leaves_room_to_log_in_and_delete() {
    let Some((disk, mut server, _, _)) = settled().await else {
        println!("{NOT_TESTED}");
        return;
    };
    disk.fill();
    let path = "/v1/sessions/mill/messages";
    let content = content(1, 1).repeat(100);
    let mut count = 0;
    let refused = loop {
        let answer = post(&server, path, &json!({"id": format!("grain-{count}"), "content": content}));
        if answer.status != 201 {
            break answer;
        }
        count += 1;
    };
    assert!([507, 503].contains(&refused.status), "{}", refused.text());
    wait_for_health(&server, "disk_full\n");
    wait_until("the reserve is given up", || disk.reserve().is_none());
    let refused = post(&server, path, &json!({"id": "late", "content": "Late"}));
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (507, &json!("disk_full")),
        "what adds content waits for room"
    );
    assert!(refused.json()["hint"].as_str().unwrap().contains("Free "), "{}", refused.text());

    let cookie = server.cookie();
    let page = server.get("/sessions", &[("Cookie", &cookie)]);
    assert_eq!(page.status, 200);
    assert!(page.text().contains("data-code=\"disk_full\""), "{}", page.text());
    let session = "/v1/sessions/mill";
    assert_eq!(server.as_owner(&cookie, "DELETE", session, &json!({})).status, 200);
    assert_eq!(server.as_owner(&cookie, "POST", &format!("{session}/restore"), &json!({})).status, 200);
    assert!(server.place.seen(&["doctor"]).contains("The disk is full"));

    std::fs::remove_file(disk.filler()).unwrap();
    wait_for_health(&server, "ok\n");
    assert_eq!(disk.reserve(), Some((24 << 20) / 16), "it is made again");
    let posted = post(&server, path, &json!({"id": "late", "content": "Late"}));
    assert_eq!((posted.status, posted.json()["seq"].as_i64()), (201, Some(count + 2)), "{}", posted.text());
    let page = server.get("/sessions", &[("Cookie", &cookie)]).text();
    assert!(!page.contains("class=\"condition\""), "{page}");

    // It starts on a full disk as well, and can be logged in to.
    server.kill();
    disk.fill();
    let server = server.again();
    wait_for_health(&server, "disk_full\n");
    assert_eq!(server.get("/sessions", &[("Cookie", &cookie)]).status, 200);
    let cookie = server.cookie();
    assert_eq!(server.get("/sessions", &[("Cookie", &cookie)]).status, 200);
}

/// Nothing at all can be written, not even when something was used last.
#[tokio::test]
async fn a_disk_without_any_room_is_read_from() {
    let Some((disk, server, cookie, key)) = settled().await else {
        println!("{NOT_TESTED}");
        return;
    };
    std::fs::remove_file(disk.0.join("reserve")).unwrap();
    disk.fill();
    let bearer = format!("Bearer {key}");
    for _ in 0..3 {
        for path in ["/sessions", "/v1/sessions", "/v1/sessions/mill/messages"] {
            let read = server.get(path, &[("Cookie", &cookie)]);
            assert_eq!(read.status, 200, "{path}: {}", read.text());
        }
        let me = server.get("/v1/me", &[("Authorization", &bearer)]);
        assert_eq!(me.status, 200, "{}", me.text());
    }
}
