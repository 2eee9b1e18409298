//! A transcript, read whole and in pieces.

use crate::last::{Last, read_cut, render};
use crate::{engine, inputs};
use agents::recognise;
use model::Body;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

const WORDS: &[&str] = &[
    "{",
    "}",
    "{\"type\":\"",
    "\"uuid\":",
    "\"parentUuid\":null",
    "\"sessionId\":\"s\"",
    "\"message\":{",
    "\"content\":[",
    "\\u0000",
    "\\ud800",
    "\u{feff}",
    "null",
    "\n\n",
    "{}\n",
    "}{",
    "{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u\",\"message\":{\"content\":\"h",
];

fn check(input: &[u8]) {
    recognise(input, input);
    let whole = read_cut("any.jsonl", None, [input]);
    assert_eq!(lost(&whole, input.len()), Vec::<usize>::new(), "bytes that are in no message");
    for size in [1 + input.len() % 89, 1 + input.len() % 1_021] {
        let cut = read_cut("any.jsonl", None, input.chunks(size));
        assert!(whole == cut, "in pieces of {size} bytes:\n{}\n---\n{}", render(&cut), render(&whole));
    }
    for (_, draft, _) in &whole.messages {
        assert!(!matches!(Body::of(draft), Body::Invalid { .. }), "{draft:?}");
        let json = serde_json::to_vec(draft).unwrap();
        assert_eq!(serde_json::from_slice::<model::Draft>(&json).unwrap(), *draft);
    }
}

/// Bytes that are in no message, the first few.
fn lost(last: &Last, len: usize) -> Vec<usize> {
    let mut covered = vec![false; len];
    for (_, _, spans) in &last.messages {
        for span in spans {
            covered[span.offset as usize..span.end() as usize].fill(true);
        }
    }
    covered.iter().enumerate().filter(|(_, covered)| !**covered).map(|(at, _)| at).take(5).collect()
}

#[test]
fn transcript() {
    let own = inputs::files("transcripts/claude", ".jsonl");
    let lines: Vec<Value> = own
        .iter()
        .flat_map(|file| file.split(|byte| *byte == b'\n'))
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    let line = inputs::bent(&lines).prop_map(|line| format!("{line}\n").into_bytes());
    let part = prop_oneof![3 => line, 1 => inputs::piece(&own, WORDS)];
    let file = vec(part, 0..14).prop_map(|parts| parts.concat());
    engine::run("transcript", prop_oneof![4 => file, 1 => inputs::text(&own, WORDS)].boxed(), check);
}
