//! Requests to the model that failed and were repeated: one line, whatever their number.

use super::TranscriptOptions;
use super::folded::{self, Line};
use crate::figures::counted;
use crate::icon::Glyph;
use crate::message_renderer::render_article;
use api::messages::Entry;
use model::Role;

/// How it ended, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// Nothing came since.
    Unknown,
    WentOn,
    GaveUp,
}

impl Then {
    /// What comes next tells.
    pub fn before(entry: &Entry) -> Self {
        match (entry.message_type.as_str(), entry.message.draft.role) {
            ("ERROR", _) => Self::GaveUp,
            // A person who writes meanwhile says nothing of the requests.
            (_, Role::User) => Self::Unknown,
            _ => Self::WentOn,
        }
    }
}

/// Is it an attempt after which the same was tried again?
pub(super) fn is_one(entry: &Entry) -> bool {
    let metadata = entry.message.draft.metadata.as_ref();
    entry.message_type == "ERROR" && metadata.is_some_and(|metadata| metadata.contains_key("retry_attempt"))
}

/// The line, with each attempt inside.
pub(super) fn group(run: &[&Entry], then: Then, span: (i64, i64), options: &TranscriptOptions) -> String {
    let failed = format!("{} failed", counted(run.len() as i64, "attempt"));
    let words = match then {
        Then::Unknown => failed,
        Then::WentOn => format!("{failed}, then it went on"),
        Then::GaveUp => format!("{failed}, then it gave up"),
    };
    let rows: String = run.iter().map(|entry| render_article(entry, options)).collect();
    let line =
        Line { glyph: Glyph::FAIL, title: "Request", words: &words, took_ms: 0, span, failed: then != Then::WentOn };
    folded::group(&line, &rows, options)
}
