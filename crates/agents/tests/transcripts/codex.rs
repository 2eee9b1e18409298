//! Codex's rollouts through the front door: what each fixture becomes, whole and in pieces.

use crate::support::{Last, drive, lost, render, root_of};
use agents::{Recognised, recognise};
use model::{Body, Usage};
use serde_json::{Value, json};
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
        assert_eq!(recognise(&bytes, &[]), codex, "{path}");
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

/// A session of these lines, each a type and a payload.
fn session(lines: &[(&str, Value)]) -> Last {
    let head = ("session_meta", json!({ "id": "s1", "cwd": "/work/garden" }));
    let line = |(n, (kind, payload)): (usize, &(&str, Value))| {
        let record = json!({ "timestamp": format!("2026-09-02T08:00:{n:02}.000Z"), "type": kind, "payload": payload });
        format!("{record}\n")
    };
    let text: String = [head].iter().chain(lines).enumerate().map(line).collect();
    let last = read("rollout.jsonl", [text.as_bytes()]);
    assert_eq!(read("rollout.jsonl", text.as_bytes().chunks(7)), last, "in pieces");
    assert_eq!(lost(&last, text.len()), Vec::<usize>::new());
    last
}

/// Content of each call, with its query.
fn searches(last: &Last) -> Vec<String> {
    let call = |draft: &model::Draft| match Body::of(draft) {
        Body::ToolCall(_) => Some(draft.content.clone()),
        _ => None,
    };
    last.messages.iter().filter_map(|(_, draft, _)| call(draft)).collect()
}

/// Since 0.14x the event of a search has an id, and the item none: whichever comes first, both are one call.
#[test]
fn two_lines_about_one_search_are_one_call() {
    let search = |query: &str| json!({ "type": "search", "query": query, "queries": [query] });
    let event = |id: &str, query: &str| {
        ("event_msg", json!({ "type": "web_search_end", "call_id": id, "query": query, "action": search(query) }))
    };
    let item = |query: &str| {
        ("response_item", json!({ "type": "web_search_call", "status": "completed", "action": search(query) }))
    };
    let tokens = ("event_msg", json!({ "type": "token_count", "info": null }));
    let last = session(&[
        event("ws_1", "newts"),
        item("newts"),
        item("toads"),
        tokens,
        event("ws_2", "toads"),
        event("ws_3", "newts"),
        item("newts"),
        item("frogs"),
    ]);
    let found = searches(&last);
    assert_eq!(found.len(), 4, "{found:?}");
    let queries = ["newts", "toads", "newts", "frogs"];
    assert!(found.iter().zip(queries).all(|(call, query)| call.contains(query)), "{found:?}");
}

/// Requests whose count isn't in the file are in the next sum; a sum that comes again counts once, and one that began anew as its last
/// request.
#[test]
fn tokens_are_counted_by_the_growth_of_their_sum() {
    let tokens = |input: i64, cached: i64, output: i64| {
        json!({ "input_tokens": input, "cached_input_tokens": cached, "output_tokens": output,
            "total_tokens": input + output })
    };
    let count = |total: Value, last: Option<Value>| {
        let mut info = json!({ "total_token_usage": total });
        if let Some(last) = last {
            info["last_token_usage"] = last;
        }
        ("event_msg", json!({ "type": "token_count", "info": info }))
    };
    let sum = |last: &Last| {
        last.runs.iter().fold((0, 0, 0), |(input, cached, output), (_, run)| {
            let Usage { input: more, cache_read, output: out, .. } = run.usage;
            (input + more, cached + cache_read, output + out)
        })
    };
    let first = || count(tokens(1000, 700, 60), Some(tokens(1000, 700, 60)));
    assert_eq!(sum(&session(&[first(), first()])), (300, 700, 60));
    let missing = count(tokens(3000, 1700, 160), Some(tokens(800, 400, 40)));
    assert_eq!(sum(&session(&[first(), missing])), (1300, 1700, 160));
    assert_eq!(sum(&session(&[first(), count(tokens(1500, 800, 85), None)])), (700, 800, 85));
    let anew = count(tokens(500, 100, 20), Some(tokens(500, 100, 20)));
    assert_eq!(sum(&session(&[first(), anew])), (700, 800, 80));
    let forked = count(tokens(9000, 8000, 900), Some(tokens(1000, 700, 60)));
    assert_eq!(sum(&session(&[forked])), (300, 700, 60), "what came before the file is another session's");
}
