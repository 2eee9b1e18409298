//! Transcripts of further agents through the front door: what each fixture becomes, whole and in pieces.

use crate::support::{Last, drive, lost, render, root_of};
use agents::{Recognised, recognise};
use model::Body;
use std::path::PathBuf;

/// The agents, and how many fixtures each has.
const AGENTS: [(&str, usize); 3] = [("acp", 2), ("openhands", 2), ("swe_agent", 6)];

fn fixtures() -> Vec<(&'static str, String, Vec<u8>)> {
    let of_agent = |(agent, count): (&'static str, usize)| {
        let entries = std::fs::read_dir(root_of(agent)).expect("a folder");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        assert_eq!(paths.len(), count, "the fixtures of {agent} are there");
        let read = move |path: PathBuf| {
            let bytes = std::fs::read(&path).expect("a fixture");
            (agent, path.to_string_lossy().into_owned(), bytes)
        };
        paths.into_iter().map(read)
    };
    AGENTS.into_iter().flat_map(of_agent).collect()
}

fn read<'a>(agent: &str, path: &str, pieces: impl IntoIterator<Item = &'a [u8]>) -> Last {
    let reading = agents::agent(agent).and_then(|agent| agent.reading).expect("a reader");
    drive(&mut *(reading.open)(path, None), pieces)
}

#[test]
fn each_fixture_reads_as_its_snapshot() {
    for (agent, path, bytes) in fixtures() {
        let name = path.rsplit(['/', '\\']).next().expect("a name");
        let name = name.trim_end_matches(".jsonl").trim_end_matches(".json");
        let last = read(agent, &path, [bytes.as_slice()]);
        insta::assert_snapshot!(format!("{agent}__{name}"), render(&last));
        let is_content = |at: &usize| !b"[]{}, \n".contains(&bytes[*at]);
        let lost: Vec<usize> = lost(&last, bytes.len()).into_iter().filter(is_content).collect();
        assert_eq!(lost, Vec::<usize>::new(), "{path}");
        for (_, draft, _) in &last.messages {
            let body = Body::of(draft);
            assert!(!matches!(body, Body::Invalid { .. }), "{path} {}: {body:?}", draft.id);
        }
        let expected = Recognised::Agent(agents::agent(agent).expect("its line"));
        assert_eq!(recognise(&bytes), expected, "{path}");
    }
}

#[test]
fn any_cut_of_a_fixture_gives_the_same_last_state() {
    for (agent, path, bytes) in fixtures() {
        let whole = read(agent, &path, [bytes.as_slice()]);
        let step = bytes.len() / 1500 + 1;
        for at in (0..bytes.len()).step_by(step) {
            let (head, tail) = bytes.split_at(at);
            let cut = read(agent, &path, [head, tail]);
            assert!(cut == whole, "{path} cut at {at}:\n{}\n---\n{}", render(&cut), render(&whole));
        }
        let crumbs = read(agent, &path, bytes.chunks(1));
        assert_eq!(render(&crumbs), render(&whole), "{path}, a byte at a time");
    }
}
