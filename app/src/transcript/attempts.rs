//! Requests to the model that failed and were repeated: one line, whatever their number.

use super::TranscriptOptions;
use super::folded::{self, Line};
use crate::figures::counted;
use crate::icon::Glyph;
use crate::message::error::headline;
use crate::message_renderer::render_article;
use api::messages::Entry;
use model::policy::{Look, facts_of, policy};
use model::{MessageType, Role, RunOutcome, message_type::error};

/// How it ended, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// Nothing came since.
    Unknown,
    WentOn,
}

impl Then {
    /// Returns the outcome, by the next message.
    pub fn before(entry: &Entry) -> Self {
        // A person who writes meanwhile says nothing of the requests.
        if entry.message.draft.role == Role::User { Self::Unknown } else { Self::WentOn }
    }
}

/// Returns true if it is an attempt after which the same was tried again.
pub(super) fn is_one(entry: &Entry) -> bool {
    error::is_attempt(&entry.message.draft)
}

/// Returns true if it is the end of a run that came to nothing.
pub(super) fn is_failed_end(entry: &Entry) -> bool {
    let draft = &entry.message.draft;
    let said = draft.facts().and_then(|facts| facts.get("outcome")?.as_str());
    policy(&facts_of(draft)).look == Look::Footer && said == Some(RunOutcome::Failed.as_str())
}

/// The line, with each attempt inside.
pub(super) fn group(run: &[&Entry], then: Then, span: (i64, i64), options: &TranscriptOptions) -> String {
    let failed = format!("{} failed", counted(run.len() as i64, "attempt"));
    let words = match then {
        Then::Unknown => failed,
        Then::WentOn => format!("{failed}, then it continued"),
    };
    let failed = then != Then::WentOn;
    let line = Line { failed, ..Line::new(Glyph::FAIL, "Request", &words, span) };
    folded::group(&line, &rows(run, options), options)
}

/// A group of requests after which the agent gave up: what it said then, and the end of its run, are inside as well.
pub(super) fn gave_up(run: &[&Entry], span: (i64, i64), options: &TranscriptOptions) -> String {
    let attempts = run.iter().filter(|entry| is_one(entry)).count() as i64;
    let last = run.iter().find(|entry| entry.message_type == MessageType::Error && !is_one(entry));
    let title = last.map_or_else(|| "Request".to_owned(), |entry| headline(entry));
    let end = run.iter().find(|entry| is_failed_end(entry)).and_then(|entry| entry.message.draft.metadata.as_ref());
    let took_ms = end.and_then(|metadata| metadata.get("duration_ms")?.as_i64()).unwrap_or_default();
    let words = format!("gave up after {}", counted(attempts, "attempt"));
    let at = last.map(|entry| entry.message.draft.created_at).filter(|at| at.0 > 0);
    let line = Line { took_ms, at, failed: true, ..Line::new(Glyph::FAIL, &title, &words, span) };
    folded::group(&line, &rows(run, options), options)
}

fn rows(run: &[&Entry], options: &TranscriptOptions) -> String {
    run.iter().map(|entry| render_article(entry, options)).collect()
}
