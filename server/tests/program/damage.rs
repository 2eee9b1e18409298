//! A damaged database: noticed, read as far as it goes, written to no more, and recovered.

use crate::support::{PATIENCE, Place, Server, said};
use serde_json::{Value, json};
use std::path::PathBuf;
use tokio::time::Instant;

const PAGE: usize = 4096;
const MESSAGES: usize = 600;
/// The first bytes of each Zstandard frame.
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The database file of a server that has ended.
struct Database(PathBuf);

impl Database {
    fn of(place: &Place) -> Self {
        Self(place.data().join("verbatim.db"))
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.0).unwrap()
    }

    /// Changes the bytes of the first page that is one of these.
    fn damage(&self, wanted: impl Fn(&[u8]) -> bool, damage: impl Fn(&mut [u8])) {
        let mut bytes = self.bytes();
        // The first one has the schema.
        let number = (1..bytes.len() / PAGE).find(|number| wanted(&bytes[number * PAGE..(number + 1) * PAGE])).unwrap();
        damage(&mut bytes[number * PAGE..(number + 1) * PAGE]);
        std::fs::write(&self.0, bytes).unwrap();
    }

    /// A page of messages: a leaf of a table, with the columns of many of them. The schema has types of columns, in
    /// capitals.
    fn damage_messages(&self) {
        let of_messages = |page: &[u8]| page[0] == 13 && count(page, b"TEXT") > 5 && count(page, b"default") > 5;
        self.damage(of_messages, |page| page[..200].fill(0xff));
    }
}

fn count(page: &[u8], word: &[u8]) -> usize {
    page.windows(word.len()).filter(|window| *window == word).count()
}

/// A transcript of many pages was imported.
fn imported() -> Place {
    let place = Place::new();
    let lines: String = (0..MESSAGES).map(|n| said("mill", n, &format!("Grain {n} {}", noise(n)))).collect();
    place.write("mill.jsonl", lines);
    place.out(&["import", "mill.jsonl"]);
    place
}

/// Words that no compression makes small.
fn noise(seed: usize) -> String {
    let next = |state: &mut u64| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some(format!("{:x} ", *state >> 20))
    };
    std::iter::repeat_n((), 30).scan(seed as u64 + 1, |state, ()| next(state)).collect()
}

/// A server on a database that was damaged after its last one ended without a word.
fn damaged_after_a_crash(damage: impl Fn(&Database)) -> Server {
    let mut server = Server::start_in(imported(), &[]);
    assert_eq!(post_session(&server, "before").0, 201);
    server.kill();
    damage(&Database::of(&server.place));
    server.again()
}

fn post_session(server: &Server, id: &str) -> (u16, Value) {
    let reply = server.with_key("POST", "/v1/sessions", &json!({"agent": "bot", "id": id}).to_string());
    (reply.status, reply.json())
}

fn health(server: &Server) -> String {
    server.get("/healthz", &[]).text()
}

fn wait_for_health(server: &Server, wanted: &str) {
    let until = Instant::now() + PATIENCE;
    while health(server) != wanted {
        assert!(Instant::now() < until, "{}", health(server));
        std::thread::yield_now();
    }
}

fn mill(server: &Server) -> Value {
    let list = server.with_key("GET", "/v1/sessions", "").json();
    let sessions = list["sessions"].as_array().unwrap();
    sessions.iter().find(|session| session["agent_session_id"] == "mill").unwrap().clone()
}

/// All messages that can be read, in order.
fn messages(server: &Server) -> Vec<Value> {
    let id = mill(server)["id"].as_str().unwrap().to_owned();
    let mut all: Vec<Value> = Vec::new();
    loop {
        let from = all.len() + 1;
        let path = format!("/v1/sessions/{id}/messages?from={from}&to={}", from + 199);
        let page = server.with_key("GET", &path, "").json();
        let more = page["messages"].as_array().unwrap_or_else(|| panic!("{page}")).clone();
        if more.is_empty() {
            return all;
        }
        all.extend(more);
    }
}

#[test]
fn a_damaged_database_is_read_only_until_it_is_repaired() {
    let mut server = damaged_after_a_crash(Database::damage_messages);
    assert_eq!(health(&server), "database_damaged\n");
    let (status, refused) = post_session(&server, "after");
    assert_eq!((status, &refused["code"]), (503, &json!("read_only")));
    assert!(refused["hint"].as_str().unwrap().contains("`verbatim doctor --repair`"), "{refused}");
    let import = json!({"paths": [server.place.path("mill.jsonl")]}).to_string();
    assert_eq!(server.with_key("POST", "/v1/imports", &import).status, 503);
    let condition = server.with_key("GET", "/v1/health", "").json()["condition"].clone();
    assert_eq!(condition["code"], "database_damaged");
    // A person logs in, though that can't be stored, and reads.
    let cookie = server.cookie();
    let page = server.get("/sessions", &[("Cookie", &cookie)]);
    assert_eq!(page.status, 200);
    assert!(page.text().contains("data-code=\"database_damaged\""), "{}", page.text());
    assert!(page.text().contains("Grain 0"), "what can be read is there");
    let seen = server.place.seen(&["doctor", "--repair"]);
    assert!(seen.contains("exit 1") && seen.contains("in use by process"), "{seen}");

    server.terminate();
    server.ended(PATIENCE);
    let doctor = server.place.seen(&["doctor"]);
    assert!(doctor.contains("exit 1") && doctor.contains("`verbatim doctor --repair`"), "{doctor}");
    // Once more: a clean end doesn't make it whole.
    let server = server.again();
    assert_eq!(health(&server), "database_damaged\n");
    let mut server = server;
    server.terminate();
    server.ended(PATIENCE);

    let before = Database::of(&server.place).bytes();
    let report = server.place.out(&["doctor", "--repair"]);
    assert!(report.contains("messages lost, `seq` "), "{report}");
    let kept = server.place.data().read_dir().unwrap().map(|entry| entry.unwrap().path());
    let kept: Vec<PathBuf> = kept.filter(|path| path.to_string_lossy().contains(".db.damaged-")).collect();
    let kept = kept.iter().find(|path| !path.to_string_lossy().ends_with("-wal")).unwrap();
    assert_eq!(std::fs::read(kept).unwrap(), before, "the damaged file is as it was");
    let doctor = server.place.seen(&["doctor"]);
    assert!(doctor.contains("ok    stored data"), "{doctor}");

    let server = server.again();
    assert_eq!(health(&server), "ok\n");
    assert_eq!(post_session(&server, "after").0, 201);
    let found = messages(&server);
    let seqs: Vec<i64> = found.iter().map(|message| message["seq"].as_i64().unwrap()).collect();
    assert_eq!(seqs, (1..=MESSAGES as i64).collect::<Vec<_>>(), "each `seq` has a message");
    let lost: Vec<&Value> = found.iter().filter(|message| message["role"] == "host").collect();
    assert!((1..100).contains(&lost.len()), "{} lost", lost.len());
    assert_eq!(lost[0]["content"], "This message was lost when the database was damaged");
    for message in found.iter().filter(|message| message["role"] == "user") {
        let n = message["seq"].as_u64().unwrap() as usize - 1;
        assert_eq!(message["content"], format!("Grain {n} {}", noise(n)), "what is there is whole");
    }
    let hits = server.with_key("GET", "/v1/search?q=grain&limit=1", "").json();
    assert_eq!(hits["total"], json!(MESSAGES - lost.len()), "{hits}");
    let exported = server.place.run(&["export", "mill", "--format", "original"]).stdout;
    assert_eq!(exported, std::fs::read(server.place.path("mill.jsonl")).unwrap());
}

/// The content of an index follows from its table.
#[test]
fn a_damaged_index_loses_nothing() {
    let mut server = damaged_after_a_crash(|file| {
        // Ids of messages.
        file.damage(|page| page[0] == 10 && count(page, b"mill-") > 10, |page| page[..200].fill(0xff));
    });
    assert_eq!(health(&server), "database_damaged\n");
    server.terminate();
    server.ended(PATIENCE);
    let report = server.place.out(&["doctor", "--repair"]);
    assert!(report.contains("No message and no byte of a file is lost"), "{report}");
    let server = server.again();
    assert_eq!(health(&server), "ok\n");
    assert_eq!(messages(&server).len(), MESSAGES);
}

/// Nothing can be read then, but the rest of the file is there.
#[test]
fn a_damaged_header_is_recovered_from() {
    let place = imported();
    let file = Database::of(&place);
    let mut bytes = file.bytes();
    bytes[..64].fill(0xff);
    std::fs::write(&file.0, bytes).unwrap();
    let seen = place.seen(&["sessions"]);
    assert!(seen.contains("exit 1") && seen.contains("verbatim doctor --repair"), "{seen}");
    let report = place.out(&["doctor", "--repair"]);
    assert!(report.contains("The header of the file was damaged"), "{report}");
    assert!(report.contains("No message and no byte of a file is lost"), "{report}");
    let exported = place.run(&["export", "mill", "--format", "original"]).stdout;
    assert_eq!(exported, std::fs::read(place.path("mill.jsonl")).unwrap());
}

/// A clean end leaves nothing to check at the start: whoever reads the page first notices.
#[test]
fn the_first_read_of_a_damaged_page_notices() {
    let place = imported();
    Database::of(&place).damage_messages();
    let server = Server::start_in(place, &[]);
    assert_eq!(health(&server), "ok\n");
    let id = mill(&server)["id"].as_str().unwrap().to_owned();
    let statuses: Vec<u16> = (0..MESSAGES / 100)
        .map(|n| {
            server.with_key("GET", &format!("/v1/sessions/{id}/messages?from={}&to={}", n * 100 + 1, n * 100 + 100), "")
        })
        .map(|reply| reply.status)
        .collect();
    assert!(statuses.contains(&503) && statuses.contains(&200), "{statuses:?}");
    assert_eq!(health(&server), "database_damaged\n");
    assert_eq!(post_session(&server, "after").1["code"], "read_only");
}

/// Nobody reads it: the check in the background does.
#[test]
fn the_check_in_the_background_notices() {
    let place = imported();
    Database::of(&place).damage_messages();
    let server = Server::start_in(place, &["--check-every", "1"]);
    wait_for_health(&server, "database_damaged\n");
    assert_eq!(post_session(&server, "after").1["code"], "read_only");
}

/// `SQLite` finds nothing wrong with other bytes in a row; the checksum does.
#[test]
fn bytes_that_changed_are_told_from_those_that_were_imported() {
    let place = imported();
    // Rows of packed bytes begin in pages of their own.
    let imported = std::fs::read(place.path("mill.jsonl")).unwrap();
    let file = Database::of(&place);
    let row = |page: &[u8]| {
        page[0] == 13 && count(page, b"default") > 0 && count(page, b"TEXT") == 0 && count(page, ZSTD) > 0
    };
    file.damage(row, |page| {
        let frame = page.windows(4).position(|window| window == ZSTD).unwrap();
        page[frame + 60] ^= 0x10;
    });
    let doctor = place.seen(&["doctor"]);
    let fault = doctor.lines().find(|line| line.contains("fail  stored data")).unwrap_or_else(|| panic!("{doctor}"));
    assert!(fault.contains(" bytes at ") && fault.contains("are damaged ([dir]/mill.jsonl)"), "{fault}");
    let export = place.seen(&["export", "mill", "--format", "original", "--output", "out.jsonl"]);
    assert!(export.contains("exit 1") && export.contains(" are damaged"), "{export}");
    assert_ne!(std::fs::read(place.path("out.jsonl")).unwrap_or_default(), imported);

    let server = Server::start_in(place, &[]);
    let id = mill(&server)["id"].as_str().unwrap().to_owned();
    let of = |seq: usize| server.with_key("GET", &format!("/v1/sessions/{id}/messages/{seq}"), "").json();
    let damaged: Vec<bool> =
        (1..=MESSAGES).step_by(10).map(|seq| of(seq)["records"][0]["is_damaged"] == true).collect();
    assert!(damaged.contains(&true) && damaged.contains(&false), "{damaged:?}");
    let seq = 1 + 10 * damaged.iter().position(|damaged| *damaged).unwrap();
    let cookie = server.cookie();
    let raw = server.get(&format!("/fragments/sessions/{id}/records/{seq}"), &[("Cookie", &cookie)]);
    assert!(raw.text().contains("These bytes are damaged"), "{}", raw.text());
    let context = server.with_key("GET", &format!("/v1/sessions/{id}/context?at={MESSAGES}&contents=0"), "").json();
    assert_eq!(context["verdict"], "approximate", "{context}");
    let reasons = context["reasons"].as_array().unwrap();
    assert!(reasons.contains(&json!("A part of the stored records is damaged")), "{reasons:?}");
    assert_eq!(health(&server), "database_damaged\n");
    assert_eq!(post_session(&server, "after").1["code"], "read_only");

    let mut server = server;
    server.terminate();
    server.ended(PATIENCE);
    let report = server.place.out(&["doctor", "--repair"]);
    let lost = report.lines().find(|line| line.ends_with(" bytes lost")).unwrap_or_else(|| panic!("{report}"));
    assert!(lost.contains("mill.jsonl: "), "{lost}");
    let doctor = server.place.seen(&["doctor"]);
    assert!(doctor.contains("ok    stored data"), "what is lost is no news: {doctor}");
    let server = server.again();
    let lost = server.with_key("GET", &format!("/v1/sessions/{id}/messages/{seq}"), "").json();
    assert_eq!(lost["records"][0]["is_damaged"], true, "{lost}");
    assert_eq!(messages(&server).len(), MESSAGES);
    assert_eq!(health(&server), "ok\n");
    assert_eq!(post_session(&server, "after").0, 201);
}

/// A letter of a message is another one: a note stands in its place, and the others are as they were.
#[test]
fn a_message_that_changed_is_told_from_what_was_written() {
    let place = Place::new();
    place.write("mill.jsonl", (0..20).map(|n| said("mill", n, &format!("Grain {n} of rye"))).collect::<String>());
    place.out(&["import", "mill.jsonl"]);
    let file = Database::of(&place);
    let words = b"Grain 7 of rye";
    // As long as that, it is stored as it is: once in its row, and in the index of words by other letters.
    file.damage(
        |page| page[0] == 13 && count(page, words) > 0 && count(page, b"\"role\"") > 5,
        |page| {
            let at = page.windows(words.len()).position(|window| window == words).unwrap();
            page[at + 6] = b'8';
        },
    );
    let mut server = Server::start_in(place, &[]);
    assert_eq!(health(&server), "ok\n", "nobody read it yet");
    let content = |server: &Server| -> Vec<String> {
        messages(server).iter().map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    };
    let expected = |note: &str| -> Vec<String> {
        (0..20).map(|n| if n == 7 { note.to_owned() } else { format!("Grain {n} of rye") }).collect()
    };
    assert_eq!(content(&server), expected("This message is damaged and can't be read"));
    assert_eq!(health(&server), "database_damaged\n");
    assert_eq!(post_session(&server, "after").1["code"], "read_only");
    let cookie = server.cookie();
    let id = mill(&server)["id"].as_str().unwrap().to_owned();
    let page = server.get(&format!("/s/{id}"), &[("Cookie", &cookie)]);
    assert_eq!(page.status, 200);
    assert!(
        page.text().contains("This message is damaged") && page.text().contains("Grain 8 of rye"),
        "{}",
        page.text()
    );

    server.terminate();
    server.ended(PATIENCE);
    let doctor = server.place.seen(&["doctor"]);
    assert!(doctor.contains("fail  stored data      message 8 of session "), "{doctor}");
    let report = server.place.out(&["doctor", "--repair"]);
    assert!(report.contains("1 message lost, `seq` 8"), "{report}");
    let server = server.again();
    assert_eq!(content(&server), expected("This message was lost when the database was damaged"));
    assert_eq!(health(&server), "ok\n");
}
