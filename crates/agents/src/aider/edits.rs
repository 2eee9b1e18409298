//! Changes of files in an answer: SEARCH/REPLACE blocks, diffs and whole files, in fences, by the lines of the answer.

use super::{History, Section};
use crate::Span;
use crate::parts::at::{At, derived_id};
use crate::parts::calls::settle;
use crate::parts::edits::{Finished, Piece, created, fragment, message};
use crate::parts::patch::hunks;
use model::envelope::EditState;
use model::{Context, Part, Role};

/// A SEARCH/REPLACE block.
pub(super) struct Block {
    start: Span,
    old: String,
    new: String,
    is_replacing: bool,
}

/// Code that is being read.
pub(super) struct Fence {
    start: Span,
    /// How many backticks begin it, and end it.
    len: usize,
    is_diff: bool,
    /// The file that the line before it names.
    path: Option<String>,
    text: String,
}

/// A whole file in an answer. It is an edit only if the program says that it wrote it.
pub(super) struct Whole {
    at: At,
    n: usize,
    path: String,
    text: String,
    span: Span,
}

/// The file that a line names, if it does nothing else.
fn named(line: &str) -> Option<String> {
    let name = line.trim().trim_matches(['*', '`', '#', ':']).trim();
    let is_name = !name.is_empty() && !name.contains(' ') && name.contains(['.', '/']);
    is_name.then(|| name.to_owned())
}

fn backticks(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b'`').count()
}

fn join(start: Span, end: Span) -> Span {
    Span { offset: start.offset, len: end.end() - start.offset }
}

impl History {
    /// Returns true while a block or code is being read. An empty line is part of it.
    pub(super) fn is_in_code(&self) -> bool {
        self.block.is_some() || self.fence.is_some()
    }

    /// A line of an answer may belong to what changes a file.
    pub(super) fn model_line(&mut self, line: &str, span: Span) {
        let Some(section) = &mut self.section else { return };
        let mark = |c: char, word: &str| {
            let count = line.chars().take_while(|found| *found == c).count();
            (5..=9).contains(&count) && line[count..].trim() == word
        };
        if let Some(block) = &mut self.block {
            if mark('=', "") {
                block.is_replacing = true;
            } else if mark('>', "REPLACE") {
                self.end_block(span);
            } else {
                let side = if block.is_replacing { &mut block.new } else { &mut block.old };
                side.push_str(line);
                side.push('\n');
            }
        } else if mark('<', "SEARCH") {
            // The file stands before the fence, or before the block.
            let fenced = self.fence.take().and_then(|fence| fence.path.or_else(|| named(&fence.text)));
            let path = fenced.or_else(|| section.last.iter().rev().find_map(|line| named(line)));
            section.path = path.or(section.path.take());
            section.is_in_fence = true;
            self.block = Some(Block { start: span, old: String::new(), new: String::new(), is_replacing: false });
        } else if let Some(fence) = &mut self.fence {
            if backticks(line) == fence.len && line.trim_end().len() == fence.len {
                (section.is_in_fence, section.last) = (false, Default::default());
                self.end_fence(span);
            } else {
                fence.text.push_str(line);
                fence.text.push('\n');
            }
        } else if line.starts_with("```") {
            section.is_in_fence = !section.is_in_fence;
            if section.is_in_fence {
                let (len, is_diff) = (backticks(line), line.trim_matches('`').trim() == "diff");
                let path = section.last.last().and_then(|line| named(line));
                self.fence = Some(Fence { start: span, len, is_diff, path, text: String::new() });
            }
        } else {
            section.last.swap(0, 1);
            line.clone_into(&mut section.last[1]);
        }
    }

    fn end_block(&mut self, end: Span) {
        let (Some(block), Some(section)) = (self.block.take(), &mut self.section) else { return };
        let Some(path) = section.path.clone() else { return };
        let piece =
            if block.old.is_empty() { created(&block.new) } else { fragment(Some(&block.old), Some(&block.new)) };
        let span = join(block.start, end);
        self.propose(path, vec![piece], span);
    }

    fn end_fence(&mut self, end: Span) {
        let (Some(fence), Some(section)) = (self.fence.take(), &mut self.section) else { return };
        let span = join(fence.start, end);
        if fence.is_diff && fence.text.starts_with("--- ") {
            // `--- a`, `+++ b`, then the changes, of one file after the other.
            for part in format!("\n{}", fence.text).split("\n--- ").skip(1) {
                let Some((_, rest)) = part.split_once("\n+++ ") else { continue };
                let (path, body) = rest.split_once('\n').unwrap_or((rest, ""));
                let path = path.trim();
                let path = path.strip_prefix("b/").unwrap_or(path).to_owned();
                let body = if body.ends_with('\n') { body.to_owned() } else { format!("{body}\n") };
                let piece = |hunk: &crate::parts::patch::Hunk| match hunk.old.as_str() {
                    "" if part.starts_with("/dev/null") => created(&hunk.new),
                    old => Piece { start_line: hunk.start_line, ..fragment(Some(old), Some(&hunk.new)) },
                };
                let pieces: Vec<Piece> = hunks(&body).iter().map(piece).collect();
                if !pieces.is_empty() {
                    self.propose(path, pieces, span);
                }
            }
        } else if let Some(path) = fence.path {
            let (at, n) = (section.at.clone(), section.edits);
            section.edits += 1;
            self.wholes.push(Whole { at, n, path, text: fence.text, span });
        }
    }

    /// Adds an edit that the answer proposes.
    fn propose(&mut self, path: String, pieces: Vec<Piece>, span: Span) {
        let edit = message(&path, pieces, EditState::Proposed, None);
        let Some(section) = &mut self.section else { return };
        section.edits += 1;
        let (at, n) = (section.at.clone(), section.edits - 1);
        let id = self.keep_edit(&at, n, edit, span);
        self.edits.push((id, path));
    }

    fn keep_edit(&mut self, at: &At, n: usize, edit: Finished, span: Span) -> String {
        let id = derived_id(&at.id, "edit", n);
        let mut draft = at.text(&id, Role::Assistant, "bot", edit.content);
        (draft.context, draft.part, draft.metadata) = (Context::None, Part::Derived, Some(edit.metadata));
        let id = draft.id.as_str().to_owned();
        self.log.book.keep(at.session, draft, span);
        id
    }

    /// The program says what became of the edits of a file.
    pub(super) fn settle(&mut self, at: &At, path: &str, state: EditState, note: Option<&str>, span: Span) {
        let mut is_known = false;
        for (id, _) in self.edits.extract_if(.., |(_, file)| *file == path) {
            is_known = true;
            if let Some(draft) = self.log.book.change(at.session, &id, span) {
                settle(draft, state, note);
            }
            self.log.book.release(at.session, &id);
        }
        let wholes: Vec<Whole> = self.wholes.extract_if(.., |whole| whole.path == path).collect();
        if let Some(whole) = wholes.into_iter().next_back().filter(|_| !is_known && state == EditState::Applied) {
            let edit = message(path, vec![created(&whole.text)], state, None);
            let id = self.keep_edit(&whole.at, whole.n, edit, whole.span);
            self.log.book.change(whole.at.session, &id, span);
            self.log.book.release(whole.at.session, &id);
        }
    }

    /// Nobody says any more what became of the edits of an answer.
    pub(super) fn release_edits(&mut self) {
        self.wholes.clear();
        for (id, _) in std::mem::take(&mut self.edits) {
            let session = self.log.session(None);
            self.log.book.release(session, &id);
        }
    }
}

impl Section {
    /// Lines of a speaker begin.
    pub(super) fn new(speaker: super::Speaker, at: At) -> Self {
        Self {
            speaker,
            at,
            empty: 0,
            is_in_fence: false,
            is_over: false,
            last: [String::new(), String::new()],
            path: None,
            edits: 0,
            asked: 0,
        }
    }
}
