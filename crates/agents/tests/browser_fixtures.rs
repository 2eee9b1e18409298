//! The figures in `fixtures/browser/README.md`, on which the browser tests rely, are those of the transcripts beside it.

use agents::{Change, Reader as _, claude::Reader};
use model::policy::{Display, display};
use model::{Body, Draft, Part, Role};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/browser")
}

fn transcripts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            transcripts(&path, found);
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            found.push(path);
        }
    }
}

/// The messages of a file's own session in their last state, and how many notes it left.
fn read(path: &Path) -> (BTreeMap<String, Draft>, usize) {
    let meta = fs::read(path.with_extension("meta.json")).ok();
    let mut reader = Reader::new(&path.to_string_lossy(), meta.as_deref());
    let mut changes = Vec::new();
    reader.push(&fs::read(path).expect("a transcript"), &mut changes);
    reader.finish(&mut changes);
    let mut drafts = BTreeMap::new();
    let mut notes = 0;
    for change in changes {
        match change {
            Change::Message { draft, .. } => {
                drafts.insert(draft.id.to_string(), draft);
            }
            Change::Note { .. } => notes += 1,
            _ => {}
        }
    }
    (drafts, notes)
}

#[test]
fn the_figures_are_right() {
    let mut files = Vec::new();
    transcripts(&folder(), &mut files);
    files.sort();
    let mut table = String::from(
        "| File | Messages | Behind the dev toggle | Calls | Edits | Lists | Approvals | Files | Errors | Unknown | Notes |\n\
         |:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for file in files {
        let (drafts, notes) = read(&file);
        let dev = |draft: &&Draft| display(draft) == Display::Dev;
        let reasoning_or_system = |draft: &&Draft| dev(draft) && draft.part != Part::Replaced;
        let tagged = |tag: &str| drafts.values().filter(|draft| draft.message_type() == tag).count();
        let unknown = drafts.values().filter(|draft| matches!(Body::of(draft), Body::Unknown { .. })).count();
        let shown = drafts.values().filter(|draft| !dev(draft)).count();
        let hidden = drafts.values().filter(reasoning_or_system).count();
        let name = file.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        writeln!(
            table,
            "| `{}` | {shown} | {hidden} | {} | {} | {} | {} | {} | {} | {unknown} | {notes} |",
            name.split('-').take(if name.starts_with("agent-") { 2 } else { 1 }).collect::<Vec<_>>().join("-"),
            tagged("TOOL_CALL"),
            tagged("CODE_EDIT"),
            tagged("TODO"),
            tagged("APPROVAL"),
            tagged("FILE"),
            tagged("ERROR"),
        )
        .expect("written");
    }
    let readme = fs::read_to_string(folder().join("README.md")).expect("the README");
    assert!(readme.contains(&table), "the README should have this table:\n{table}");
}

#[test]
fn nothing_of_them_is_invalid() {
    let mut files = Vec::new();
    transcripts(&folder(), &mut files);
    for file in files {
        for draft in read(&file).0.values() {
            assert!(!matches!(Body::of(draft), Body::Invalid { .. }), "{} in {}", draft.id, file.display());
            assert!(draft.role != Role::Host || draft.sender == "result_meta", "{}", draft.id);
        }
    }
}
