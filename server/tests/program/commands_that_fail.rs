//! Commands that can't do what they are asked: exit status not 0, a plain message that says what to do, nothing lost.

use crate::support::{Place, fixture, said};
use insta::assert_snapshot;

#[test]
fn imports() {
    let place = Place::new();
    std::fs::create_dir(place.path("bare")).unwrap();
    place.write("mill.jsonl", said("mill", 1, "One"));
    let mut seen = String::new();
    for arguments in [
        &["import"][..],
        &["import", "missing.jsonl"],
        &["import", "bare"],
        &["import", "mill.jsonl", "bare"],
        &["import", "--json", "missing.jsonl"],
    ] {
        seen += &place.seen(arguments);
    }
    assert_snapshot!(seen);
    assert_eq!(place.out(&["sessions", "--json"]), "[]\n", "all or nothing of what was named");
}

/// Each file that isn't a transcript is named once, with what it looks like, and the others are imported.
#[test]
fn files_that_are_no_transcripts() {
    let place = Place::new();
    place.write("mixed/mill.txt", said("mill", 1, "One"));
    place.write("mixed/notes.md", "Dear diary");
    let codex = r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x"}}"#;
    place.write("mixed/projects/0b7c7d1e-1111-4222-8333-444455556666.jsonl", codex);
    assert_snapshot!(place.seen(&["import", "mixed"]));
    assert!(place.out(&["sessions"]).contains("One"));
}

/// A file that can't be read is named, and the others are imported.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_can_not_be_read() {
    let place = Place::new();
    place.write("mill.jsonl", said("mill", 1, "One"));
    // The kernel refuses to read this one from its beginning, to whoever asks.
    let seen = place.seen(&["import", "--json", "/proc/self/mem", "mill.jsonl"]);
    let (start, rest) = seen.split_once("err: /proc/").unwrap();
    assert_snapshot!(format!("{start}err: /proc/[pid]{}", rest.trim_start_matches(|c: char| c.is_ascii_digit())));
    assert!(place.out(&["sessions"]).contains("One"));
}

#[test]
fn sessions_that_are_not_there() {
    let place = Place::new();
    for n in 1..=2 {
        place.write(&format!("mill-{n}.jsonl"), said(&format!("mill-{n}"), 1, "One"));
    }
    place.out(&["import", "mill-1.jsonl", "mill-2.jsonl"]);
    let mut seen = String::new();
    for arguments in [
        &["show", "nobody"][..],
        &["show", "mill"],
        &["show", "mill", "--json"],
        &["show", ""],
        &["show", "../v1/me"],
        &["export", "nobody", "--format", "original"],
        &["export", "mill", "--format", "json"],
        &["export", "mill-1", "--format", "zip"],
        &["export", "mill-1"],
        &["export", "mill-1", "--format", "json", "--output", "no/such/folder.json"],
    ] {
        seen += &place.seen(arguments);
    }
    assert_snapshot!(seen);
}

#[test]
fn no_server() {
    let place = Place::new();
    assert_snapshot!(place.seen(&["open"]));
}

#[test]
fn data_directories_that_are_none() {
    let place = Place::new();
    place.write("file", "no folder");
    let mut seen = String::new();
    for dir in ["file", "file/below"] {
        for command in ["sessions", "doctor", "serve"] {
            seen += &place.seen(&[command, "--data-dir", dir]);
        }
    }
    seen += &place.seen(&["sessions", "--database", "mysql://localhost/x"]);
    assert_snapshot!(seen);
}

/// A name that is mistyped makes no store. A key may be the first thing in a new one.
#[test]
fn a_data_directory_that_holds_nothing() {
    let place = Place::new();
    let dir = place.path("typo");
    let dir = dir.to_str().unwrap();
    let mut seen = String::new();
    for arguments in
        [&["sessions"][..], &["show", "mill"], &["export", "mill", "--format", "json"], &["context", "mill"]]
    {
        seen += &place.seen(&[arguments, &["--data-dir", "typo"]].concat());
    }
    assert_snapshot!(seen);
    assert!(!std::path::Path::new(dir).exists());
    let made = place.seen(&["key", "create", "--name", "builder", "--data-dir", "typo"]);
    assert!(made.contains("exit 0"), "{made}");
    assert!(std::path::Path::new(dir).exists());
}

/// A database that a newer version wrote is left alone.
#[test]
fn a_database_of_a_newer_version() {
    let place = Place::new();
    let file = place.write("data/verbatim.db", std::fs::read(fixture("databases/newer.db")).unwrap());
    let mut seen = String::new();
    for arguments in
        [&["sessions"][..], &["doctor"], &["import", "/"], &["serve", "--listen", "127.0.0.1:0", "--no-discover"]]
    {
        seen += &place.seen(arguments);
    }
    assert_snapshot!(seen);
    let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
    assert!(text.contains("from the future"), "what was there is still there");
}

#[test]
fn a_file_that_is_no_database() {
    let place = Place::new();
    place.write("data/verbatim.db", "no database, and long enough to be read as the header of one".repeat(20));
    assert_snapshot!(place.seen(&["sessions"]));
}

/// Words that no compression makes small.
fn noise(seed: usize) -> String {
    let next = |state: &mut u64| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some(format!("{:x} ", *state >> 20))
    };
    std::iter::repeat_n((), 100).scan(seed as u64 + 1, |state, ()| next(state)).collect()
}

/// A disk that takes no more: the command says so and fails; later everything is there.
#[test]
fn a_disk_that_takes_no_more() {
    let place = Place::new();
    place.write("mill.jsonl", (0..5000).map(|n| said("mill", n, &noise(n))).collect::<String>());
    let program = env!("CARGO_BIN_EXE_verbatim");
    // No file may grow beyond 3 MiB; the signal that would end the process is ignored, so that writing fails.
    let script = format!("trap '' XFSZ; ulimit -f 6144; exec '{program}' import mill.jsonl");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script]).current_dir(&place.dir).env_clear();
    let output = command
        .env("HOME", &place.dir)
        .env("RUST_LOG", "off")
        .env("PATH", "/usr/bin:/bin")
        .env("VERBATIM_DATA_DIR", place.data())
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert_snapshot!(place.mask(&String::from_utf8_lossy(&output.stderr)));
    place.out(&["import", "mill.jsonl"]);
    let exported = place.run(&["export", "mill", "--format", "original"]).stdout;
    assert_eq!(exported, std::fs::read(place.path("mill.jsonl")).unwrap());
}
