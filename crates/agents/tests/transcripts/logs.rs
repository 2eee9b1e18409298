//! Transcripts of further agents through the front door: what each fixture becomes, whole and in pieces.

use crate::support::{Last, drive, lost, render, root_of};
use agents::{Recognised, recognise};
use model::Body;
use std::path::{Path, PathBuf};

/// All files below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut all: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    all.sort();
    all
}

fn read<'a>(agent: &str, path: &str, pieces: impl IntoIterator<Item = &'a [u8]>) -> Last {
    let reading = agents::agent(agent).and_then(|agent| agent.reading).expect("a reader");
    drive(&mut *(reading.open)(path, None), pieces)
}

/// Reads each fixture of an agent, and compares it with its snapshot and with what any cut of it gives.
#[track_caller]
fn check(agent: &str, count: usize) {
    let root = root_of(agent);
    let files = files(&root);
    assert_eq!(files.len(), count, "the fixtures are there");
    for file in files {
        let bytes = std::fs::read(&file).expect("a fixture");
        let path = file.strip_prefix(&root).expect("a path below").to_string_lossy();
        let whole = read(agent, &path, [bytes.as_slice()]);
        let name = path.rsplit_once('.').map_or(&*path, |(name, _)| name).replace(['/', '\\'], "__");
        insta::assert_snapshot!(format!("{agent}__{name}"), render(&whole));
        assert_eq!(lost(&whole, bytes.len()), Vec::<usize>::new(), "{path}");
        for (_, draft, _) in &whole.messages {
            let body = Body::of(draft);
            assert!(!matches!(body, Body::Invalid { .. }), "{path} {}: {body:?}", draft.id);
        }
        assert_eq!(recognise(&bytes), Recognised::Agent(agents::agent(agent).expect("its line")), "{path}");
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

#[test]
fn aider() {
    check("aider", 1);
}

#[test]
fn copilot() {
    check("copilot", 1);
}

#[test]
fn cursor() {
    check("cursor", 2);
}

#[test]
fn droid() {
    check("droid", 2);
}

#[test]
fn pi() {
    check("pi", 1);
}
