//! The audit log: what makes an entry, who reads it, and how a changed one is found.

use crate::support::{PATIENCE, Place, Server, fresh_postgres, said, wait_until};
use insta::assert_snapshot;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/// One server on each engine, with a folder of transcripts that it was told to read.
fn servers() -> Vec<Server> {
    let start = |arguments: &[&str]| {
        let place = Place::new();
        place.write("claude/projects/-home-ada-mill/mill.jsonl", said("mill", 1, "How does the mill turn?"));
        place.write("farm.jsonl", said("farm", 1, "Sow"));
        let folder = place.path("claude").display().to_string();
        Server::start_in(place, &[&["--claude-dir", &folder], arguments].concat())
    };
    let mut servers = vec![start(&[])];
    // The log of another test can't be emptied.
    servers.extend(fresh_postgres("audit").map(|url| start(&["--database", &url])));
    servers
}

/// Logs in as Firefox; the cookie.
fn cookie(server: &Server, code: &str) -> String {
    let origin = server.origin();
    let headers = [("Content-Type", "application/json"), ("Origin", &*origin), ("User-Agent", FIREFOX)];
    let reply = server.send("POST", "/v1/login", &headers, &json!({ "code": code }).to_string());
    server.logged_in(&reply)
}

fn log(server: &Server, query: &str) -> Value {
    let reply = server.with_key("GET", &format!("/v1/audit?{query}"), "");
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn entries(server: &Server, query: &str) -> Vec<Value> {
    log(server, query)["entries"].as_array().unwrap().clone()
}

/// Each line of an export is what its hash says, and names the hash of the line before.
fn assert_chained(export: &str) {
    let mut previous = String::new();
    for (index, line) in export.lines().enumerate() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let hash = entry["hash"].as_str().unwrap();
        let hashed = line.replacen(&format!("\"hash\":\"{hash}\","), "", 1);
        let digest: String = Sha256::digest(hashed.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((entry["number"].as_u64(), hash), (Some(index as u64 + 1), &*digest), "{line}");
        assert_eq!(entry["previous"], previous, "{line}");
        hash.clone_into(&mut previous);
    }
}

#[test]
fn every_kind_is_written_once() {
    let mut seen = Vec::new();
    for server in servers() {
        let cookie = cookie(&server, &server.code);
        let owner = |method: &str, path: &str, body: Value| {
            let reply = server.as_owner(&cookie, method, path, &body);
            assert!(reply.status < 300, "{method} {path}: {}", reply.text());
            reply.json()
        };
        assert_eq!(server.log_in("wrong").status, 401);
        let login = owner("GET", "/v1/logins", json!({}))["logins"][0]["id"].as_str().unwrap().to_owned();

        let quota = json!({"messages": 1000, "bytes": 1_000_000});
        let made =
            owner("POST", "/v1/keys", json!({"name": "nightly-bot", "scopes": ["post", "read"], "quota": quota}));
        let (id, key) = (made["id"].as_str().unwrap(), format!("Bearer {}", made["key"].as_str().unwrap()));
        owner("PATCH", &format!("/v1/keys/{id}"), json!({"quota": {"messages": 2000}}));
        owner("PATCH", &format!("/v1/keys/{id}"), json!({"quota": {"messages": 2000}}));

        let agent = |method: &str, path: &str, body: Value| {
            let headers = [("Authorization", key.as_str()), ("Content-Type", "application/json")];
            let reply = server.send(method, path, &headers, &body.to_string());
            assert!(reply.status < 300, "{method} {path}: {}", reply.text());
        };
        agent("POST", "/v1/sessions", json!({"agent": "bot", "id": "s1", "title": "A secret title"}));
        let asks = json!({"message_type": "APPROVAL", "payload": {"kind": "permission", "title": "Run the secret", "state": "open", "questions": []}});
        agent("POST", "/v1/sessions/s1/messages", json!({"id": "a1", "content": "May I?", "message_metadata": asks}));
        owner("POST", "/v1/sessions/s1/messages/a1/decision", json!({"state": "denied"}));
        owner("POST", "/v1/sessions/s1/messages/a1/decision", json!({"state": "denied"}));
        owner("DELETE", "/v1/sessions/s1", json!({}));
        owner("POST", "/v1/sessions/s1/restore", json!({}));
        assert_eq!(server.with_key("DELETE", "/v1/sessions/s1", "").status, 200);
        server.place.out(&["key", "revoke", id]);

        let editor = "vscode://file/{path}:{line}";
        owner("PATCH", "/v1/preferences", json!({"editor": editor, "single_keys": false, "keys": {"next": "n"}}));
        owner("PATCH", "/v1/preferences", json!({ "editor": editor }));

        let farm = server.place.path("farm.jsonl").display().to_string();
        server.place.out(&["import", &farm]);
        let folder = server.place.path("claude/projects/-home-ada-mill").display().to_string();
        let state = |state: &str| json!({"paths": [folder], "state": state});
        owner("PUT", "/v1/projects", state("paused"));
        owner("PUT", "/v1/projects", state("following"));
        wait_until("no import runs", || {
            server.with_key("GET", "/v1/imports", "").json()["imports"]
                .as_array()
                .unwrap()
                .iter()
                .all(|job| job["done"] == true)
        });
        owner("POST", "/v1/projects/forget", json!({ "path": folder }));
        owner("POST", "/v1/logout", json!({}));

        let export = server.place.out(&["audit", "--json"]);
        assert_chained(&export);
        assert!(!export.contains("secret") && !export.contains("May I?"), "{export}");
        let all = entries(&server, "limit=200");
        let mut oldest_first = all.clone();
        oldest_first.reverse();
        let lines: Vec<Value> = export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines, oldest_first);
        let mill = all.iter().find(|entry| entry["what"]["kind"] == "sessions_purged").unwrap();
        let mill = mill["what"]["sessions"][0].as_str().unwrap().to_owned();
        let words = server.place.out(&["audit", "-n", "100"]);
        let mask = |text: &str| {
            let ids = [(&*login, "[log-in]"), (id, "[key]"), (&*mill, "[session]")];
            server.place.mask(&ids.iter().fold(text.to_owned(), |text, (id, name)| text.replace(id, name)))
        };
        let mut shown = String::new();
        for line in &lines {
            let at = line["at"].as_i64().unwrap();
            assert!((hub::clock::now().0 - at).abs() < 3_600_000_000, "{line}");
            writeln!(shown, "{} {} {}", line["number"], line["who"], line["what"]).unwrap();
        }
        shown.push('\n');
        for line in words.lines() {
            // Without the minute.
            writeln!(shown, "{}", &line[16..]).unwrap();
        }
        seen.push(mask(&shown));

        // Pages by cursor, and by kind.
        let (mut paged, mut after) = (Vec::new(), String::new());
        loop {
            let page = log(&server, &format!("limit=3{after}"));
            assert!(page["entries"].as_array().unwrap().len() <= 3);
            paged.extend(page["entries"].as_array().unwrap().clone());
            let Some(next) = page["next"].as_str() else { break };
            after = format!("&after={next}");
        }
        assert_eq!(paged, all);
        let of_keys = entries(&server, "kind=key_made&kind=key_revoked");
        let kinds: Vec<&Value> = of_keys.iter().map(|entry| &entry["what"]["kind"]).collect();
        assert_eq!(kinds, ["key_revoked", "key_made"]);
        for (query, field) in [("after=x", "after"), ("kind=x", "kind"), ("limit=0", "limit"), ("limit=201", "limit")] {
            let refused = server.with_key("GET", &format!("/v1/audit?{query}"), "");
            assert_eq!((refused.status, &refused.json()["field"]), (400, &json!(field)), "{query}: {}", refused.text());
        }
        let doctor = server.place.out(&["doctor"]);
        let head = all[0]["hash"].as_str().unwrap();
        let whole = format!("ok    audit log        {} entries, whole; the newest one has the hash {head}", all.len());
        assert!(doctor.contains(&whole), "{doctor}");
    }
    assert_snapshot!(seen[0]);
    assert!(seen.iter().all(|other| *other == seen[0]), "both engines tell the same:\n{}", seen.join("\n\n"));
}

/// A flood of wrong codes is one entry a minute; the rest of a minute is written when the server ends.
#[test]
fn refused_log_ins_are_folded() {
    let mut server = Server::start();
    for n in 0..50 {
        assert!(server.log_in(&format!("wrong {n}")).status >= 401);
    }
    let refused = |server: &Server| -> Vec<Value> {
        entries(server, "kind=log_in_refused").into_iter().map(|entry| json!([entry["who"], entry["what"]])).collect()
    };
    let entry = |count: u64| json!([{"kind": "stranger"}, {"kind": "log_in_refused", "count": count}]);
    assert_eq!(refused(&server), [entry(1)]);
    server.terminate();
    server.ended(PATIENCE);
    let server = server.again();
    assert_eq!(refused(&server), [entry(49), entry(1)]);
}

/// A letter of an entry is another one.
#[test]
fn doctor_finds_an_entry_that_was_changed() {
    let mut server = Server::start();
    for name in ["one", "two-bot", "three"] {
        server.place.out(&["key", "create", "--name", name]);
    }
    server.terminate();
    server.ended(PATIENCE);
    let file = server.place.data().join("verbatim.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let (old, new) = (b"\"name\":\"two-bot\"", b"\"name\":\"two-bat\"");
    let places: Vec<usize> = (0..bytes.len() - old.len()).filter(|at| bytes[*at..].starts_with(old)).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + new.len()].copy_from_slice(new);
    }
    std::fs::write(&file, bytes).unwrap();
    let finding =
        "fail  audit log        3 entries; entry 2 doesn't fit: its text or hash was changed, or the file is damaged";
    let doctor = server.place.seen(&["doctor"]);
    assert!(doctor.contains("exit 1") && doctor.contains(finding), "{doctor}");
    // Everything else goes on, and shows it as it is.
    let server = server.again();
    let doctor = server.place.seen(&["doctor"]);
    assert!(doctor.contains("exit 1") && doctor.contains(finding), "{doctor}");
    assert!(server.place.out(&["audit"]).contains("Key two-bat created"));
    server.place.out(&["key", "create", "--name", "four"]);
    assert_eq!(entries(&server, "")[0]["number"], 4);
}

/// A repair keeps the log, and is an entry of it.
#[test]
fn a_repair_is_an_entry() {
    let place = Place::new();
    place.out(&["key", "create", "--name", "one"]);
    place.out(&["doctor", "--repair"]);
    let seen = place.out(&["audit", "--json"]);
    assert_chained(&seen);
    let kinds: Vec<Value> = seen
        .lines()
        .map(|line| {
            let entry: Value = serde_json::from_str(line).unwrap();
            json!([entry["who"]["kind"], entry["what"]["kind"]])
        })
        .collect();
    let by_command = |kind: &str| json!(["command", kind]);
    assert_eq!(kinds, ["key_made", "database_repaired", "audit_exported"].map(by_command));
}
