//! Types that server and browser share, and decisions of the browser that don't depend on its page. Nothing here draws,
//! and everything has native unit tests.

pub mod arrivals;
pub mod attr;
pub mod backoff;
pub mod chords;
pub mod comments;
pub mod diff_lines;
pub mod diff_rows;
pub mod events;
pub mod feed_position;
pub mod form;
pub mod found_places;
pub mod hash;
pub mod item_heights;
pub mod keymap;
pub mod landmarks;
pub mod latest;
pub mod loads;
pub mod message_filter;
mod names;
pub mod page_action;
pub mod page_path;
pub mod palette;
pub mod rail;
pub mod readiness;
pub mod row_merge;
pub mod scroll;
pub mod sorted;
pub mod tab_message;
pub mod window;
pub mod words;

use api::endpoint::segment;
use model::envelope::{LineComment, ReviewState};
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// The parameter that the server adds to the address of a page which another site opened. Its value is `1`.
pub const FROM_OUTSIDE: &str = "outside";

/// Returns the path of a session's page.
pub fn session_href(id: &str) -> String {
    format!("/s/{}", segment(id))
}

/// Returns the address of a message on its session's page.
pub fn message_href(session: &str, seq: impl Display) -> String {
    format!("{}?at={seq}#m{seq}", session_href(session))
}

/// Returns the address of a message by its id, which outlasts a change of its number.
pub fn message_id_href(session: &str, seq: i64, id: &str) -> String {
    format!("{}?at={seq}#m={}", session_href(session), segment(id))
}

/// Returns the path below which the server draws parts of a session.
pub fn fragments_href(session: &str) -> String {
    format!("/fragments/sessions/{}", segment(session))
}

/// Returns the address of the context of a message.
pub fn context_href(session: &str, seq: i64) -> String {
    format!("{}/context?at={seq}", session_href(session))
}

/// Returns the id of a file's card on the changes page: the same for the same path, so that links last.
pub fn file_id(path: &str) -> String {
    // FNV-1a: short, stable, and nobody gains from a collision.
    let hash = path
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("d-{:08x}", hash >> 32)
}

/// A comment that was sent, and the message that holds it, as the changes page lists it for its script.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sent {
    pub message: String,
    pub comment: LineComment,
    /// The review of an agent's comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<OfReview>,
}

/// A comment of a `CODE_REVIEW`: which one it is, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfReview {
    /// Its index in the review.
    pub index: usize,
    /// A person's answer; None while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ReviewState>,
    /// A later edit changed its lines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outdated: bool,
    /// Hash that an answer must have. None if no agent would get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_sha256: Option<String>,
}
