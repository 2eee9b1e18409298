//! The disk is full.

use crate::http::Connection;
use crate::poster::content;
use crate::support::{Place, Server};
use crate::town::Town;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small disk in memory, for as long as this lives.
struct Disk(PathBuf);

impl Disk {
    /// None where mounting isn't allowed.
    fn mount(at: &Path) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=24m", "tmpfs"]).arg(at).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Self(at.to_owned()))
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
        println!("not tested: mounting a small disk needs root");
        return;
    };
    let mut server = Server::start_in(place, &["--posts-per-second", "0"]);
    let town = Town::found(&server, 1).await;
    let filler = disk.0.join("filler");
    std::fs::write(&filler, vec![0; 8 << 20]).unwrap();
    let mut connection = Connection::open(town.host(0)).await.unwrap();
    let path = format!("/v1/sessions/{}/messages", town.sessions[0]);
    let mut stored = BTreeMap::new();
    let mut count = 0;
    // Twice: it is full, and has room again without a restart.
    for _ in 0..2 {
        let refused = loop {
            let id = format!("message-{count}");
            let text: Vec<String> = (0..40).map(|n| content(count, n)).collect();
            let body = json!({ "id": id, "content": text.join(" ") }).to_string();
            let answer = connection.send("POST", &path, &town.agent, &body).await.unwrap();
            count += 1;
            match answer.status {
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
