//! Codex's rollouts through the front door: what each fixture becomes, whole and in pieces.

use crate::support::{Last, drive, lost, render, root_of};
use agents::{Recognised, recognise};
use model::Body;
use std::path::PathBuf;

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(root_of("codex")).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 5, "the fixtures are there");
    let read = |path: PathBuf| (path.to_string_lossy().into_owned(), std::fs::read(&path).expect("a fixture"));
    paths.into_iter().map(read).collect()
}

fn read<'a>(path: &str, pieces: impl IntoIterator<Item = &'a [u8]>) -> Last {
    let reading = agents::agent("codex").and_then(|agent| agent.reading).expect("a reader");
    drive(&mut *(reading.open)(path, None), pieces)
}

#[test]
fn each_rollout_reads_as_its_snapshot() {
    for (path, bytes) in fixtures() {
        let name = path.rsplit(['/', '\\']).next().expect("a name").trim_end_matches(".jsonl");
        let last = read(&path, [bytes.as_slice()]);
        insta::assert_snapshot!(format!("codex__{name}"), render(&last));
        assert_eq!(lost(&last, bytes.len()), Vec::<usize>::new(), "{path}");
        for (_, draft, _) in &last.messages {
            let body = Body::of(draft);
            assert!(!matches!(body, Body::Invalid { .. }), "{path} {}: {body:?}", draft.id);
        }
        let codex = Recognised::Agent(agents::agent("codex").expect("its line"));
        assert_eq!(recognise(&bytes), codex, "{path}");
    }
}

#[test]
fn any_cut_of_a_rollout_gives_the_same_last_state() {
    for (path, bytes) in fixtures() {
        let whole = read(&path, [bytes.as_slice()]);
        let step = bytes.len() / 1500 + 1;
        for at in (0..bytes.len()).step_by(step) {
            let (head, tail) = bytes.split_at(at);
            let cut = read(&path, [head, tail]);
            assert!(cut == whole, "{path} cut at {at}:\n{}\n---\n{}", render(&cut), render(&whole));
        }
        let crumbs = read(&path, bytes.chunks(1));
        assert_eq!(render(&crumbs), render(&whole), "{path}, a byte at a time");
    }
}

/// After a person went back, Codex continues the session in a second file. The heads of both files become messages.
#[test]
fn the_second_file_of_a_session_has_a_head_of_its_own() {
    let read = |name: &str, base: &str| {
        let line = format!(
            r#"{{"timestamp":"2026-11-27T09:54:13.000Z","ordinal":0,"type":"session_meta","payload":{{"id":"s1","cli_version":"0.171.0"{base}}}}}"#
        );
        let last = read(name, [line.as_bytes(), b"\n"]);
        let told = last
            .messages
            .iter()
            .map(|(session, draft, _)| [session.clone(), draft.id.to_string(), draft.content.clone()]);
        told.collect::<Vec<_>>()
    };
    let base = r#","history_base":{"thread_id":"s1","end_ordinal_exclusive":22,"end_byte_offset":46237}"#;
    let (first, second) = (read("rollout-1-s1.jsonl", ""), read("rollout-1-s1_2.jsonl", base));
    assert_eq!(first, [["s1", "s1~meta", "Session started, version 0.171.0"]]);
    assert_eq!(second, [["s1", &second[0][1], "A person went back to an earlier prompt, version 0.171.0"]]);
    assert_ne!(second[0][1], first[0][1]);
}
