//! Snapshots of a plan that follow each other: one line for all that a later one replaced.

use super::TranscriptOptions;
use super::folded::{self, Line};
use crate::icon::Glyph;
use crate::message::todo::changes::{UNCHANGED, told};
use crate::message_renderer::render_article;
use api::messages::{Entry, MessagePage};
use model::{Body, message_type::todo::Todo};
use std::collections::HashMap;
use std::sync::Arc;

/// Returns true if it is a snapshot of the agent that isn't the newest.
pub(super) fn is_replaced(entry: &Entry, options: &TranscriptOptions) -> bool {
    let newer = options.newest_todo.is_some_and(|newest| newest != entry.message.seq);
    newer && entry.message.draft.is_todo_list()
}

fn todo(entry: &Entry) -> Option<&Todo> {
    match entry.body() {
        Body::Todo(todo) => Some(todo),
        _ => None,
    }
}

/// The line says what all of them changed, and where the plan stood at the run's end.
pub(super) fn group(run: &[&Entry], span: (i64, i64), options: &TranscriptOptions) -> String {
    let before = options.todos_before.get(&span.0).and_then(|entry| todo(entry));
    let after = run.last().and_then(|entry| Some((entry.message.seq, todo(entry)?)));
    let words = after.and_then(|(_, after)| told(before, after)).unwrap_or_else(|| UNCHANGED.to_owned());
    let progress = after.map(|(seq, after)| options.progress(seq, after));
    let count = progress.map(|(done, all)| format!("{done} of {all}"));
    let rows: String = run.iter().map(|entry| render_article(entry, options)).collect();
    let line = Line { count, ..Line::new(Glyph::LIST, "Plan", &words, span) };
    folded::group(&line, &rows, options)
}

/// The snapshots of a page, each with the one before it. `earlier` is the last one before the page.
pub fn todos_before(page: &MessagePage, earlier: Option<Entry>) -> HashMap<i64, Arc<Entry>> {
    let of_agent = |entry: &&Entry| entry.message.draft.is_todo_list();
    let mut before = earlier.map(Arc::new);
    let mut all = HashMap::new();
    for entry in page.messages.iter().filter(of_agent) {
        if let Some(before) = before.replace(Arc::new(entry.clone())) {
            all.insert(entry.message.seq, before);
        }
    }
    all
}
