//! Readers of other agents than Claude Code and Codex through the front door: what each fixture becomes, whole and in pieces.

use crate::support::{Last, drive, lost, render, root_of};
use agents::{Agent, Recognised, recognise};
use model::Body;
use std::path::{Path, PathBuf};

/// The fixtures of an agent, by their paths.
pub fn fixtures(agent: &str) -> Vec<(String, Vec<u8>)> {
    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { collect(&path, files) } else { files.push(path) }
        }
    }
    let mut paths = Vec::new();
    collect(&root_of(agent), &mut paths);
    paths.sort();
    let read = |path: PathBuf| (path.to_string_lossy().into_owned(), std::fs::read(&path).expect("a fixture"));
    paths.into_iter().map(read).collect()
}

/// Reads the pieces of a file of an agent.
pub fn read<'a>(agent: &str, path: &str, pieces: impl IntoIterator<Item = &'a [u8]>) -> Last {
    let reading = agents::agent(agent).and_then(|agent| agent.reading).expect("a reader");
    drive(&mut *(reading.open)(path, None), pieces)
}

/// Reads the fixtures of an agent, of which there are `count`.
#[track_caller]
fn check(agent: &str, count: usize) {
    check_of(agent, agents::agent(agent).expect("its line"), count);
}

/// Reads the fixtures of a folder, of which there are `count`, as files of this kind.
#[track_caller]
fn check_of(agent: &str, line: &'static Agent, count: usize) {
    let read = |path: &str, pieces: &mut dyn Iterator<Item = &[u8]>| {
        drive(&mut *(line.reading.expect("a reader").open)(path, None), pieces)
    };
    let fixtures = fixtures(agent);
    assert_eq!(fixtures.len(), count, "the fixtures are there");
    for (path, bytes) in fixtures {
        let from = path.rfind(&format!("/{agent}/")).expect("the folder") + 1;
        // By its place among the fixtures: a path may name the session.
        let path = path[from..].to_owned();
        let name = path.replace('/', "__");
        let whole = read(&path, &mut [bytes.as_slice()].into_iter());
        insta::assert_snapshot!(name.rsplit_once('.').expect("an ending").0, render(&whole));
        // The brackets that end a document are in no entry of it.
        let body = bytes.trim_ascii_end();
        let end = body.iter().rposition(|byte| !b"]} \n".contains(byte)).map_or(0, |at| at + 1);
        let lines = path.ends_with("jsonl") || path.ends_with("md");
        let lost = lost(&whole, bytes.len()).into_iter().filter(|at| lines || *at < end);
        assert_eq!(lost.collect::<Vec<_>>(), Vec::<usize>::new(), "{path}");
        for (_, draft, _) in &whole.messages {
            let body = Body::of(draft);
            assert!(!matches!(body, Body::Invalid { .. }), "{path} {}: {body:?}", draft.id);
        }
        assert_eq!(recognise(&bytes, &[]), Recognised::Agent(line), "{path}");
        let step = bytes.len() / 1500 + 1;
        for at in (0..bytes.len()).step_by(step) {
            let (head, tail) = bytes.split_at(at);
            let cut = read(&path, &mut [head, tail].into_iter());
            assert!(cut == whole, "{path} cut at {at}:\n{}\n---\n{}", render(&cut), render(&whole));
        }
        let crumbs = read(&path, &mut bytes.chunks(1));
        assert_eq!(render(&crumbs), render(&whole), "{path}, a byte at a time");
    }
}

#[test]
fn chats_of_the_older_chat_host() {
    check("chat_host", 1);
}

#[test]
fn sessions_of_gemini_cli() {
    check("gemini", 4);
}

#[test]
fn exports_and_the_storage_of_opencode() {
    check("opencode", 12);
}

#[test]
fn sessions_of_qwen_code() {
    check("qwen", 2);
}

#[test]
fn conversations_of_kiro() {
    check("kiro", 2);
}

#[test]
fn logs_of_acp() {
    check("acp", 3);
}

#[test]
fn chat_histories_of_aider() {
    check("aider", 1);
}

#[test]
fn events_of_copilot_cli() {
    check("copilot", 2);
}

#[test]
fn transcripts_of_cursor() {
    check("cursor", 2);
}

#[test]
fn chats_of_cursors_command_line() {
    check_of("cursor-chats", agents::agent_of(agents::CURSOR_CHAT).expect("its line"), 1);
}

#[test]
fn sessions_and_streams_of_droid() {
    check("droid", 2);
}

#[test]
fn events_of_openhands() {
    check("openhands", 2);
}

#[test]
fn sessions_of_pi() {
    check("pi", 2);
}

#[test]
fn trajectories_of_swe_agent() {
    check("swe_agent", 6);
}

#[test]
fn logs_of_kimi() {
    check("kimi", 2);
}

#[test]
fn chat_histories_of_grok() {
    check("grok", 1);
}

#[test]
fn steps_of_antigravity() {
    check("antigravity", 1);
}

#[test]
fn sessions_of_hermes() {
    check("hermes", 1);
}

#[test]
fn sessions_of_crushs_database() {
    check("crush", 2);
}

#[test]
fn sessions_of_goose_in_all_its_forms() {
    check("goose", 3);
}

#[test]
fn tasks_of_cline() {
    check("cline", 2);
}

#[test]
fn tasks_of_roo_code() {
    check("roo", 1);
}
