//! Helpers of the tests: a file read into its last state, and that state as text.

use agents::{Change, Span, claude::Reader};
use model::{Draft, Origin, Run, SessionFacts};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The state after all changes: the newest version of each item.
#[derive(Debug, Default, PartialEq)]
pub struct Last {
    pub sessions: BTreeMap<String, SessionFacts>,
    /// In the order of first appearance.
    pub messages: Vec<(String, Draft, Vec<Span>)>,
    pub runs: Vec<(String, Run)>,
    pub blobs: BTreeMap<String, (String, usize)>,
    pub notes: Vec<(u64, String)>,
}

impl Last {
    pub fn take(&mut self, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::Session { key, facts } => {
                    self.sessions.insert(key.0, facts);
                }
                Change::Message { session, draft, spans, .. } => {
                    assert!(self.sessions.contains_key(&session.0), "a session comes before its messages");
                    let known = self.messages.iter_mut().find(|(s, d, _)| *s == session.0 && d.id == draft.id);
                    match known {
                        Some(known) => *known = (session.0, draft, spans),
                        None => self.messages.push((session.0, draft, spans)),
                    }
                }
                Change::Rewound { session, stretch, left } => {
                    let at = |id| self.messages.iter().position(|(s, d, _)| *s == session.0 && d.id == id);
                    let (from, before) = (at(stretch.from).expect("a message"), at(stretch.before).expect("a message"));
                    let here = self.messages[from..before].iter_mut().filter(|(s, ..)| *s == session.0);
                    here.for_each(|(_, draft, _)| draft.left_behind = left);
                }
                Change::Run { session, run, .. } => {
                    match self.runs.iter_mut().find(|(s, r)| *s == session.0 && r.id == run.id) {
                        Some(known) => known.1 = run,
                        None => self.runs.push((session.0, run)),
                    }
                }
                Change::Blob { sha256, mime, bytes } => {
                    self.blobs.insert(sha256, (mime, bytes.len()));
                }
                Change::Note { offset, text, .. } => self.notes.push((offset, text)),
            }
        }
        self.runs.sort_by(|a, b| (&a.0, a.1.started_at, &a.1.id).cmp(&(&b.0, b.1.started_at, &b.1.id)));
    }
}

/// Reads a file in the pieces that `cut` makes of it.
pub fn read_cut<'a>(path: &str, meta: Option<&[u8]>, pieces: impl IntoIterator<Item = &'a [u8]>) -> Last {
    drive(&mut Reader::new(path, meta), pieces)
}

/// Feeds a reader the pieces of a file.
pub fn drive<'a>(reader: &mut dyn agents::Reader, pieces: impl IntoIterator<Item = &'a [u8]>) -> Last {
    let mut last = Last::default();
    for piece in pieces {
        let mut changes = Vec::new();
        reader.push(piece, &mut changes);
        last.take(changes);
    }
    let mut changes = Vec::new();
    reader.finish(&mut changes);
    last.take(changes);
    last
}

pub fn read(path: &Path) -> Last {
    let (bytes, meta) = load(path);
    read_cut(&path.to_string_lossy(), meta.as_deref(), [bytes.as_slice()])
}

pub fn load(path: &Path) -> (Vec<u8>, Option<Vec<u8>>) {
    (std::fs::read(path).expect("a fixture"), std::fs::read(path.with_extension("meta.json")).ok())
}

/// All own transcripts.
pub fn fixtures() -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(&root(), &mut files);
    files.sort();
    assert!(files.len() >= 13, "the fixtures are there");
    files
}

pub fn root() -> PathBuf {
    root_of("claude")
}

/// The folder with the fixtures of an agent.
pub fn root_of(agent: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts").join(agent)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            files.push(path);
        }
    }
}

/// The last state as text, for people to read.
pub fn render(last: &Last) -> String {
    let mut text = String::new();
    for (key, facts) in &last.sessions {
        let mut facts = serde_json::to_value(facts).expect("facts");
        facts.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
        writeln!(text, "session {key} {facts}").expect("text");
    }
    for (session, run) in &last.runs {
        writeln!(text, "run {session} {}", serde_json::to_string(run).expect("a run")).expect("text");
    }
    for (hash, (mime, size)) in &last.blobs {
        writeln!(text, "blob {} {mime} {size} bytes", &hash[..12]).expect("text");
    }
    let mut origin = None;
    for (session, draft, spans) in &last.messages {
        let input = if draft.requires_user_input { " asks" } else { "" };
        let call = draft.call_id.as_ref().map_or(String::new(), |id| format!(" call={id}"));
        let run = draft.run_id.as_ref().map_or(String::new(), |id| format!(" run={id}"));
        let record = draft.origin.record.as_ref().map_or(String::new(), |kind| format!(" record={kind}"));
        let place = Origin { record: None, ..draft.origin.clone() };
        let left = if draft.left_behind { " left behind" } else { "" };
        let spans: Vec<String> = spans.iter().map(|span| format!("{}+{}", span.offset, span.len)).collect();
        writeln!(
            text,
            "\n{session} {} | {} {} | {} {} {}{input}{call}{run}{record}{left} | {}",
            draft.id,
            draft.role,
            draft.sender,
            draft.context,
            draft.status,
            draft.part,
            spans.join(" "),
        )
        .expect("text");
        if origin.as_ref() != Some(&place) {
            writeln!(text, "  origin {}", serde_json::to_string(&place).expect("an origin")).expect("text");
            origin = Some(place);
        }
        for line in draft.content.lines() {
            writeln!(text, "  > {}", line.escape_debug()).expect("text");
        }
        if let Some(metadata) = &draft.metadata {
            writeln!(text, "  {}", serde_json::to_string(metadata).expect("metadata")).expect("text");
        }
    }
    text
}

/// Bytes that are in no message, the first few.
pub fn lost(last: &Last, len: usize) -> Vec<usize> {
    let mut covered = vec![false; len];
    for (_, _, spans) in &last.messages {
        for span in spans {
            covered[span.offset as usize..span.end() as usize].fill(true);
        }
    }
    covered.iter().enumerate().filter(|(_, covered)| !**covered).map(|(at, _)| at).take(5).collect()
}
