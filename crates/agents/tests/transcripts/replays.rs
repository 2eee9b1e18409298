//! Lines that a file repeats under other ids: each is shown and counted once, and what stands behind a copy goes on from its original.

use crate::lines::{assistant, call, read_lines, result, user};
use crate::support::{Last, lost, read_cut};
use model::Role;
use serde_json::{Value, json};

/// Lines of a conversation, each behind the one before, with their own times.
fn talk() -> Vec<Value> {
    let mut answer = assistant("A lock has two gates.");
    answer["message"]["id"] = json!("msg-1");
    answer["message"]["usage"] = json!({ "input_tokens": 3, "output_tokens": 40 });
    let mut asks = call("c1", "Bash", &json!({ "command": "gates" }));
    asks["message"]["id"] = json!("msg-1");
    asks["message"]["usage"] = json!({ "input_tokens": 3, "output_tokens": 48 });
    chained(vec![user("Explain the lock"), answer, asks, result("c1", "2", &json!({ "stdout": "2" }))], 0)
}

fn chained(mut lines: Vec<Value>, from: usize) -> Vec<Value> {
    for (n, line) in lines.iter_mut().enumerate() {
        let n = n + from;
        line["parentUuid"] = n.checked_sub(1).map_or(Value::Null, |n| json!(format!("line-{n}")));
        line["timestamp"] = json!(format!("2026-03-01T09:00:{n:02}Z"));
    }
    lines
}

/// Returns the texts of people and the model, and the number of notes on repeated lines.
fn said(last: &Last) -> (Vec<&str>, usize) {
    let words = last.messages.iter().filter(|(_, draft, _)| draft.role != Role::System);
    let notes = last.notes.iter().filter(|(_, note)| note == "A line that was read before, repeated");
    assert!(last.messages.iter().all(|(_, draft, _)| !draft.left_behind), "a copy is no rewind");
    (words.map(|(_, draft, _)| draft.content.as_str()).collect(), notes.count())
}

const WORDS: [&str; 3] = ["Explain the lock", "A lock has two gates.", "Using tool: Bash - `gates`"];

#[test]
fn a_history_that_is_repeated_in_its_file_is_shown_and_counted_once() {
    let first = talk();
    let forked: Vec<Value> = first
        .iter()
        .enumerate()
        .map(|(n, line)| {
            let mut copy = line.clone();
            copy["forkedFrom"] = json!({ "sessionId": "old", "messageUuid": format!("line-{n}") });
            copy["timestamp"] = json!("2026-03-01T10:00:00Z");
            copy
        })
        .collect();
    let resumed: Vec<Value> = first
        .iter()
        .map(|line| {
            let mut copy = line.clone();
            copy["timestamp"] = json!("2026-03-01T10:00:00Z");
            copy
        })
        .collect();
    for copies in [first.clone(), forked, resumed] {
        let copies = copies.into_iter().enumerate().map(|(n, mut copy)| {
            copy["parentUuid"] = json!(format!("line-{}", n + first.len() - 1));
            copy
        });
        let mut lines: Vec<Value> = first.iter().cloned().chain(copies).collect();
        lines.extend(chained(vec![user("And the keeper?"), assistant("He opens them.")], lines.len()));
        let last = read_lines(&lines);
        assert_eq!(said(&last), ([&WORDS[..], &["And the keeper?", "He opens them."]].concat(), 4));
        let outputs: Vec<i64> = last.runs.iter().map(|(_, run)| run.usage.output).collect();
        assert_eq!(outputs, [48, 0]);
    }
}

#[test]
fn a_copy_may_have_more_tokens_and_another_moment_is_another_prompt() {
    let mut lines = talk();
    let mut more = lines[2].clone();
    more["message"]["usage"]["output_tokens"] = json!(480);
    more["timestamp"] = json!("2026-03-01T11:00:00Z");
    lines.push(more);
    let last = read_lines(&lines);
    assert_eq!(said(&last), (WORDS.to_vec(), 1));
    assert_eq!(last.runs[0].1.usage.output, 480);
    let twice = chained(vec![user("Go on"), assistant("Done."), user("Go on"), assistant("Done.")], 0);
    assert_eq!(said(&read_lines(&twice)), (vec!["Go on", "Done.", "Go on", "Done."], 0));
}

/// Several turns, with the program's lines between them, in the file of a session that was resumed with new ids and
/// times.
#[test]
fn prompts_that_are_repeated_with_a_new_time_are_shown_once() {
    let mut first = talk();
    let mut again = assistant("He opens them.");
    again["message"]["id"] = json!("msg-2");
    first.extend([user("And the keeper?"), again]);
    let mut first = chained(first, 0);
    for (n, line) in first.iter_mut().enumerate() {
        (line["uuid"], line["sessionId"]) = (json!(format!("line-{n}")), json!("made"));
    }
    let title = json!({ "type": "ai-title", "title": "The lock", "sessionId": "made" });
    // The copies begin anew, or behind the last line.
    for root in [Value::Null, json!("line-5")] {
        let mut lines = first.clone();
        for (n, line) in first.iter().enumerate() {
            let mut copy = line.clone();
            copy["parentUuid"] = if n == 0 { root.clone() } else { json!(format!("copy-{}", n - 1)) };
            copy["uuid"] = json!(format!("copy-{n}"));
            copy["timestamp"] = json!(format!("2026-03-01T10:00:{n:02}Z"));
            lines.push(copy);
            if n == 0 {
                lines.push(title.clone());
            }
        }
        let mut goes_on = user("And the boats?");
        (goes_on["uuid"], goes_on["sessionId"]) = (json!("new"), json!("made"));
        (goes_on["parentUuid"], goes_on["timestamp"]) = (json!("copy-5"), json!("2026-03-01T11:00:00Z"));
        lines.push(goes_on);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let last = read_cut("made.jsonl", None, [text.as_bytes()]);
        assert_eq!(said(&last), ([&WORDS[..], &["And the keeper?", "He opens them.", "And the boats?"]].concat(), 6));
        assert_eq!(read_cut("made.jsonl", None, text.as_bytes().chunks(7)), last, "in pieces");
        assert_eq!(lost(&last, text.len()), Vec::<usize>::new());
    }
}

/// Who takes a conversation back and says the same again has another answer.
#[test]
fn a_prompt_that_is_said_again_is_another_one() {
    let words = ["Explain the lock", "Two gates.", "Explain the lock", "It lifts."];
    let lines = chained(vec![user(words[0]), assistant(words[1]), user(words[2]), assistant(words[3])], 0);
    assert_eq!(said(&read_lines(&lines)).0, words);
    let alone = read_lines(&lines[..3]);
    assert_eq!(said(&alone).0, words[..3], "without an answer");
}
