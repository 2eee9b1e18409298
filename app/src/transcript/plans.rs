//! Snapshots of a plan that follow each other: one line for all that a later one replaced.

use super::TranscriptOptions;
use super::folded::{self, Line};
use crate::icon::Glyph;
use crate::message::todo::changes::{UNCHANGED, told};
use crate::message::todo::count;
use crate::message_renderer::render_article;
use api::messages::{Entry, MessagePage};
use model::{Body, todo_state::TodoState as Plan};
use std::collections::HashMap;
use std::sync::Arc;

/// Returns true if it is a snapshot of the agent that isn't the newest.
pub(super) fn is_replaced(entry: &Entry, options: &TranscriptOptions) -> bool {
    let newer = options.newest_todo.is_some_and(|newest| newest != entry.message.seq);
    newer && entry.message.draft.is_todo_list()
}

fn plan(entry: &Entry) -> Option<Plan> {
    match entry.body() {
        Body::Todo(todo) => Some(Plan::new(todo.clone(), entry.message.draft.metadata.as_ref())),
        _ => None,
    }
}

/// The line says what all of them changed, and where the plan stood at the run's end.
pub(super) fn group(run: &[&Entry], span: (i64, i64), options: &TranscriptOptions) -> String {
    let before = options.todos_before.get(&span.0).and_then(|entry| plan(entry));
    let after = run.last().and_then(|entry| Some((entry.message.seq, plan(entry)?)));
    let words =
        after.as_ref().and_then(|(_, after)| told(before.as_ref(), after)).unwrap_or_else(|| UNCHANGED.to_owned());
    let count = after.map(|(seq, after)| count(options.progress(seq, &after)));
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
