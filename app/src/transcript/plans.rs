//! Snapshots of a plan that follow each other: one line for all that a later one replaced.

use super::TranscriptOptions;
use super::folded::{self, Line};
use crate::icon::Glyph;
use crate::message_renderer::render_article;
use api::messages::Entry;
use model::{Body, Role, message_type::todo::Todo};

/// Is it a snapshot of the agent that isn't the newest?
pub(super) fn is_replaced(entry: &Entry, options: &TranscriptOptions) -> bool {
    let newer = options.newest_todo.is_some_and(|newest| newest != entry.message.seq);
    newer && entry.message_type == "TODO" && entry.message.draft.role == Role::Assistant
}

fn todo(entry: &Entry) -> Option<Todo> {
    match Body::of(&entry.message.draft) {
        Body::Todo(todo) => Some(todo),
        _ => None,
    }
}

/// The line says where the plan stood at the run's end.
pub(super) fn group(run: &[&Entry], options: &TranscriptOptions) -> String {
    let (first, last) = (run.first(), run.last());
    let span = (first.map_or(0, |e| e.message.seq), last.map_or(0, |e| e.message.seq));
    let stood = last.and_then(|entry| todo(entry)).map(|todo| format!("{} of {}", todo.done(), todo.todos.len()));
    let words = format!("{} done, updated {} times", stood.unwrap_or_default(), run.len());
    let rows: String = run.iter().map(|entry| render_article(entry, options)).collect();
    folded::group(&Line { glyph: Glyph::List, title: "Plan", words: &words, took_ms: 0, span }, &rows, options)
}
