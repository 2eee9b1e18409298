//! What server and browser share: the key table, the window of a transcript, small pure helpers. Nothing here draws, and
//! all of it has native unit tests.

pub mod backoff;
pub mod events;
pub mod hash;
pub mod keymap;
pub mod page_action;
pub mod sorted;
pub mod tab_message;
pub mod window;

use model::envelope::LineComment;
use serde::{Deserialize, Serialize};

/// Returns the path of a session's page.
pub fn session_href(id: &str) -> String {
    format!("/s/{}", api::client::segment(id))
}

/// A comment that was sent, and the message that holds it, as the changes page lists it for its script.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sent {
    pub message: String,
    pub comment: LineComment,
}
