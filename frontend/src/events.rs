//! The event stream: one connection of all tabs, its state in the rail's foot, what it says into the page's state.
//!
//! `tab` shares the stream with the other tabs, `source` reads it where this tab holds it, `rail` keeps what every
//! page shows of all sessions: the list at the left, title, favicon, and word of a session that needs the reader.
//! `link` says whether the page follows.
use app::shared::attr;

mod link;
mod locks;
mod notice;
mod rail;
mod source;
mod tab;

pub use rail::{mark, sessions as count_sessions};

/// Follows live, and says so in `#live`, which tells where the stream goes on from what the page shows, and the session
/// that this page is about.
pub fn start() {
    let Some(place) = app::browser::dom::by_id("live") else { return };
    let session = app::browser::dom::session();
    rail::start(session.clone());
    tab::start(place.get_attribute(attr::CURSOR).unwrap_or_default(), session);
    link::start();
}
