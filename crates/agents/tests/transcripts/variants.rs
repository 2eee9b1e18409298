//! The same transcripts as other programs leave them: printed for people, with the line ends of Windows, glued, torn.

use crate::readers::{fixtures, read};
use crate::support::{Last, lost};
use agents::{Recognised, recognise};
use serde_json::Value;

/// Agents whose files have a record in each line.
const OF_LINES: [&str; 12] =
    ["acp", "antigravity", "claude", "codex", "copilot", "cursor", "droid", "grok", "kimi", "openhands", "pi", "qwen"];
/// Agents whose files are a document each.
const OF_DOCUMENTS: [&str; 4] = ["gemini", "hermes", "opencode", "swe_agent"];

/// One of the ways in which lines are changed.
const PRETTY: &str = "printed for people";

/// The name of an agent whose fixtures lie in this folder.
fn agent_of(folder: &str) -> &str {
    if folder == "claude" { "claude_code" } else { folder }
}

/// Returns the messages that were read, without their places in the file: no ids, bytes or notes.
fn said(last: &Last) -> Vec<String> {
    let is_note = |sender: &str| sender == "note";
    let messages = last.messages.iter().filter(|(_, draft, _)| !is_note(&draft.sender));
    let line = |(session, draft, _): &(String, model::Draft, Vec<agents::Span>)| {
        format!("{session} {} {} {} {}", draft.role, draft.sender, draft.message_type(), draft.content)
    };
    messages.map(line).collect()
}

/// The whole records of a fixture of lines.
fn records(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let is_record = |line: &&str| serde_json::from_str::<Value>(line).is_ok_and(|value| value.is_object());
    text.lines().filter(is_record).map(str::to_owned).collect()
}

/// Reads each fixture of lines as `change` makes it of its records, which must say the same.
#[track_caller]
fn check_lines(what: &str, change: fn(&[String]) -> String) {
    for folder in OF_LINES {
        let agent = agent_of(folder);
        let fixtures = fixtures(folder)
            .into_iter()
            .filter(|(path, _)| std::path::Path::new(path).extension().is_some_and(|extension| extension == "jsonl"));
        for (path, bytes) in fixtures {
            let records = records(&bytes);
            if what == PRETTY && folder == "openhands" {
                // Printed so they are a document each.
                continue;
            }
            let plain = records.iter().map(|record| format!("{record}\n")).collect::<String>();
            let plain = read(agent, &path, [plain.as_bytes()]);
            let changed = change(&records);
            let whole = read(agent, &path, [changed.as_bytes()]);
            assert_eq!(said(&whole), said(&plain), "{path}, {what}");
            assert_eq!(lost(&whole, changed.len()), Vec::<usize>::new(), "{path}, {what}");
            let cut = read(agent, &path, changed.as_bytes().chunks(7));
            assert_eq!(said(&cut), said(&plain), "{path}, {what}, in pieces");
        }
    }
}

#[test]
fn lines_may_end_as_on_windows() {
    check_lines("carriage returns", |records| records.iter().map(|record| format!("{record}\r\n")).collect());
}

#[test]
fn records_may_be_glued() {
    check_lines("glued", <[String]>::concat);
}

#[test]
fn records_may_be_printed_for_people() {
    check_lines(PRETTY, |records| {
        let pretty = |record: &String| {
            let value: Value = serde_json::from_str(record).expect("a record");
            format!("{value:#}\n")
        };
        records.iter().map(pretty).collect()
    });
}

#[test]
fn a_torn_last_line_costs_nothing_else() {
    for folder in OF_LINES {
        let agent = agent_of(folder);
        for (path, bytes) in fixtures(folder)
            .into_iter()
            .filter(|(path, _)| std::path::Path::new(path).extension().is_some_and(|extension| extension == "jsonl"))
        {
            let records = records(&bytes);
            let Some((last, rest)) = records.split_last() else { continue };
            let rest: String = rest.iter().map(|record| format!("{record}\n")).collect();
            let before = read(agent, &path, [rest.as_bytes()]);
            let end = last.floor_char_boundary(last.len() / 2);
            let torn = rest + &last[..end];
            let whole = read(agent, &path, [torn.as_bytes()]);
            assert!(said(&whole).starts_with(&said(&before)), "{path}");
            assert_eq!(lost(&whole, torn.len()), Vec::<usize>::new(), "{path}");
        }
    }
}

#[test]
fn documents_may_be_printed_in_other_ways() {
    for agent in OF_DOCUMENTS {
        for (path, bytes) in fixtures(agent) {
            let Ok(document) = serde_json::from_slice::<Value>(&bytes) else { continue };
            let plain = read(agent, &path, [bytes.as_slice()]);
            let pretty = format!("{document:#}\n");
            let ways = [document.to_string(), pretty.replace('\n', "\r\n"), format!("\u{feff}{pretty}"), pretty];
            for text in ways {
                let whole = read(agent, &path, [text.as_bytes()]);
                assert_eq!(said(&whole), said(&plain), "{path}: {text}");
                let known = Recognised::Agent(agents::agent(agent).expect("its line"));
                assert_eq!(recognise(text.as_bytes(), &[]), known, "{path}");
            }
        }
    }
}

#[test]
fn a_torn_document_keeps_its_whole_entries() {
    for agent in OF_DOCUMENTS {
        for (path, bytes) in fixtures(agent).into_iter().filter(|(path, _)| path.ends_with("json")) {
            for parts in 1..8 {
                let torn = &bytes[..bytes.len() * parts / 8];
                let whole = read(agent, &path, [torn]);
                assert_eq!(lost(&whole, torn.len()), Vec::<usize>::new(), "{path}, {} bytes", torn.len());
            }
        }
    }
}
