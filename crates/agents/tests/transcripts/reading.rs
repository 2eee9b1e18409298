//! Claude Code's transcripts through the front door: what each fixture becomes, whole and in pieces.

use crate::support::{Last, fixtures, load, lost, read, read_cut, render, root};
use agents::Reader as _;
use model::Body;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;

#[test]
fn each_fixture_reads_as_its_snapshot() {
    for path in fixtures() {
        let name = path.strip_prefix(root()).expect("below the root").with_extension("");
        let name = name.to_string_lossy().replace(['/', '\\'], "__");
        insta::assert_snapshot!(name, render(&read(&path)));
    }
}

#[test]
fn no_byte_is_lost() {
    for path in fixtures() {
        let (bytes, _) = load(&path);
        assert_eq!(lost(&read(&path), bytes.len()), Vec::<usize>::new(), "{}", path.display());
    }
}

#[test]
fn every_payload_is_valid() {
    for path in fixtures() {
        for (_, draft, _) in read(&path).messages {
            let body = Body::of(&draft);
            assert!(!matches!(body, Body::Invalid { .. }), "{} {}: {body:?}", path.display(), draft.id);
            let again = serde_json::to_string(&draft).expect("JSON");
            let back: model::Draft = serde_json::from_str(&again).expect("a draft");
            assert_eq!(back, draft);
        }
    }
}

#[test]
fn any_cut_gives_the_same_last_state() {
    for path in fixtures() {
        let (bytes, meta) = load(&path);
        let name = path.to_string_lossy();
        let whole = read(&path);
        let step = bytes.len() / 700 + 1;
        for at in (0..bytes.len()).step_by(step) {
            let (head, tail) = bytes.split_at(at);
            let cut = read_cut(&name, meta.as_deref(), [head, tail]);
            assert!(cut == whole, "{name} cut at {at}:\n{}\n---\n{}", render(&cut), render(&whole));
        }
        let lines = read_cut(&name, meta.as_deref(), bytes.split_inclusive(|byte| *byte == b'\n'));
        assert_eq!(render(&lines), render(&whole), "{name}, a line at a time");
        let crumbs = read_cut(&name, meta.as_deref(), bytes.chunks(3));
        assert_eq!(render(&crumbs), render(&whole), "{name}, three bytes at a time");
    }
}

#[test]
fn reading_a_file_twice_adds_nothing() {
    for path in fixtures() {
        let whole = read(&path);
        let again = read(&path);
        assert_eq!(render(&again), render(&whole));
    }
}

#[test]
fn a_torn_line_is_held_back_until_its_end_arrives() {
    let mut reader = agents::claude::Reader::new("torn.jsonl", None);
    let mut changes = Vec::new();
    reader.push(b"{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"message\":{\"content\":\"h", &mut changes);
    assert_eq!((reader.offset(), changes.len()), (0, 0));
    reader.push(b"i\"}}\n{", &mut changes);
    assert_eq!(reader.offset(), 70);
    assert!(
        matches!(&changes[..], [agents::Change::Session { .. }, agents::Change::Message { draft, .. }, ..] if draft.content == "hi")
    );
}

#[test]
fn many_calls_are_forgotten_without_harm() {
    let call = |n: usize| {
        json!({ "type": "assistant", "sessionId": "s", "uuid": format!("a{n}"), "message": { "content": [
            { "type": "tool_use", "id": format!("c{n}"), "name": "Bash", "input": {} },
        ] } })
    };
    let result = |n: usize, uuid: String, text: &str| {
        json!({ "type": "user", "sessionId": "s", "uuid": uuid, "message": { "content": [
            { "type": "tool_result", "tool_use_id": format!("c{n}"), "content": text },
        ] } })
    };
    let mut lines: Vec<String> =
        (0..200).flat_map(|n| [call(n).to_string(), result(n, format!("u{n}"), "ok").to_string()]).collect();
    // The first call is long forgotten when its second result comes; it must not be overwritten.
    lines.push(result(0, "late".to_owned(), "late").to_string());
    let lines = lines.join("\n");
    let whole = read_cut("calls.jsonl", None, [lines.as_bytes()]);
    let cut = read_cut("calls.jsonl", None, lines.as_bytes().chunks(501));
    assert!(whole == cut);
    assert_eq!(whole.messages.len(), 201);
    assert_eq!(lost(&whole, lines.len()), Vec::<usize>::new());
    let (_, first, _) = &whole.messages[0];
    assert_eq!(first.metadata.as_ref().expect("an envelope")["payload"]["output"], "ok");
}

/// Messages of lines have the lines' ids, those of calls the calls': one that is both names two messages.
#[test]
fn a_line_and_a_call_of_one_id_are_both_kept() {
    let said = |id: &str| {
        let message = json!({ "role": "user", "content": "hi" });
        json!({ "type": "user", "sessionId": "s", "uuid": id, "message": message }).to_string()
    };
    let call = |id: &str| {
        let block = json!({ "type": "tool_use", "id": id, "name": "Bash", "input": {} });
        json!({ "type": "assistant", "sessionId": "s", "uuid": "a", "message": { "content": [block] } }).to_string()
    };
    for lines in [[said("x"), call("x")], [call("x"), said("x")]] {
        let lines = lines.join("\n");
        let last = read_cut("made.jsonl", None, [lines.as_bytes()]);
        assert_eq!((last.messages.len(), lost(&last, lines.len())), (2, Vec::new()), "{}", render(&last));
    }
}

#[test]
fn records_on_one_line_have_ids_of_their_own() {
    let mode = |mode: &str| json!({ "type": "pr-link", "sessionId": "s", "prUrl": mode }).to_string();
    let line = format!("{}{}{{\"type\":\"pr-li{}\n", mode("a"), mode("b"), mode("c"));
    let last = read_cut("made.jsonl", None, [line.as_bytes()]);
    let parts: Vec<&str> =
        last.messages.iter().map(|(_, _, spans)| &line[spans[0].offset as usize..spans[0].end() as usize]).collect();
    assert_eq!(parts, [&mode("a"), &mode("b"), "{\"type\":\"pr-li", &format!("{}\n", mode("c"))]);
    let ids: BTreeSet<&str> = last.messages.iter().map(|(_, draft, _)| draft.id.as_str()).collect();
    assert_eq!(ids.len(), 4);
    assert_eq!(last.notes.len(), 1);
}

#[test]
fn utf_16_reads_as_utf_8_does() {
    let path = root().join("torn_records.jsonl");
    let (bytes, _) = load(&path);
    let text = String::from_utf8(bytes).expect("text");
    let state = |last: &Last| -> Vec<(String, String)> {
        last.messages.iter().map(|(_, draft, _)| (draft.sender.clone(), draft.content.clone())).collect()
    };
    let expected = state(&read(&path));
    for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let bytes: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(to_bytes).collect();
        for size in [1, 7, bytes.len()] {
            let last = read_cut("torn_records.jsonl", None, bytes.chunks(size));
            assert_eq!(state(&last), expected);
            assert_eq!(lost(&last, bytes.len()), Vec::<usize>::new());
        }
    }
}

/// A line of more than is read becomes a note, however it comes, and the lines around it are read.
#[test]
fn a_line_that_is_too_long_is_a_note() {
    let said = |uuid: &str| json!({ "type": "user", "sessionId": "s", "uuid": uuid, "message": { "content": uuid } });
    let longest = agents::claude::Reader::LONGEST_LINE;
    let long = "x".repeat(longest + 2_000);
    let text = format!("{}\n{long}\n{}\n{}\n", said("before"), &long[2_001..], said("after"));
    for name in ["0b7c7d1e-1111-4222-8333-444455556666.jsonl", "any.jsonl"] {
        let whole = read_cut(name, None, [text.as_bytes()]);
        let said: Vec<&str> = whole.messages.iter().map(|(_, draft, _)| draft.content.as_str()).collect();
        assert_eq!(
            said,
            [
                "before",
                "A line of 67110865 bytes, longer than the 64 MiB that are read; the exported file has all of it",
                "A line that can't be read as JSON",
                "after",
            ]
        );
        assert_eq!(lost(&whole, text.len()), Vec::<usize>::new());
        assert!(read_cut(name, None, text.as_bytes().chunks(1_000_003)) == whole);
    }
    // Torn, it is a note already, which the rest of it makes another.
    let mut reader = agents::claude::Reader::new("any.jsonl", None);
    let mut changes = Vec::new();
    for chunk in text.as_bytes()[..longest + 1_000].chunks(1_000_003) {
        reader.push(chunk, &mut changes);
    }
    assert!(reader.held_bytes() < 10);
    let notes = reader.torn_notes();
    reader.finish(&mut changes);
    let mut last = Last::default();
    last.take(changes);
    assert_eq!(notes.len(), 1);
    assert_eq!(last.messages[1].1.id, notes[0].1);
}

/// Files that are partly fixtures and partly anything.
fn anything() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<Vec<u8>> = fixtures()
        .iter()
        .flat_map(|path| load(path).0.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>())
        .collect();
    let line = proptest::sample::select(lines);
    let broken = (line.clone(), any::<proptest::sample::Index>(), any::<u8>()).prop_map(|(mut line, at, byte)| {
        let at = at.index(line.len());
        line[at] = byte;
        line
    });
    let torn = (line.clone(), any::<proptest::sample::Index>()).prop_map(|(mut line, at)| {
        line.truncate(at.index(line.len()));
        line
    });
    let noise = proptest::collection::vec(any::<u8>(), 0..40);
    let brackets = proptest::collection::vec(proptest::sample::select(b"{}[]\",:\\u\nnull0".to_vec()), 0..40);
    let part = prop_oneof![6 => line, 3 => broken, 2 => torn, 1 => noise, 1 => brackets];
    proptest::collection::vec(part, 0..14).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn any_bytes_cut_anywhere_are_read_without_loss(bytes in anything(), size in 1usize..900) {
        let whole = read_cut("any.jsonl", None, [bytes.as_slice()]);
        prop_assert_eq!(lost(&whole, bytes.len()), Vec::<usize>::new());
        let cut = read_cut("any.jsonl", None, bytes.chunks(size));
        prop_assert_eq!(render(&cut), render(&whole));
        for (_, draft, _) in &whole.messages {
            prop_assert!(!matches!(Body::of(draft), Body::Invalid { .. }), "{:?}", draft);
        }
    }
}
