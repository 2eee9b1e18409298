//! The event stream: one connection of all tabs, its state in the rail's foot, what it says into the page's state.
//!
//! `tab` shares the stream with the other tabs, `source` reads it where this tab holds it, `rail` keeps what every
//! page shows of all sessions: the list at the left, title, favicon, and word of a session that needs the reader. `link`
//! says whether the page follows.

use leptos::prelude::*;

/// Follows live, and says so in `#live`, which tells where the stream goes on from what the page shows, and the session that
/// this page is about. Draws nothing.
#[island]
pub fn Live() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    {
        let of_page = |name: &str| super::dom::by_id("live").and_then(|place| place.get_attribute(name));
        let session = super::dom::session();
        rail::start(session.clone());
        tab::start(of_page("data-cursor").unwrap_or_default(), session);
        link::start();
    }
}

#[cfg(feature = "hydrate")]
mod link;
#[cfg(feature = "hydrate")]
mod locks;
#[cfg(feature = "hydrate")]
mod notice;
#[cfg(feature = "hydrate")]
mod rail;
#[cfg(feature = "hydrate")]
mod source;
#[cfg(feature = "hydrate")]
mod tab;
#[cfg(feature = "hydrate")]
mod unread;
#[cfg(feature = "hydrate")]
mod word;

#[cfg(feature = "hydrate")]
pub(crate) use rail::{mark, refresh as refresh_rail, sessions as count_sessions};
#[cfg(feature = "hydrate")]
pub(crate) use unread::draw as draw_unread;

/// How far a session was read before this page came, if it went on since. None if the server didn't say.
#[cfg(feature = "hydrate")]
pub(crate) async fn read_up_to(session: &str) -> Option<Option<i64>> {
    unread::show(&unread::ask().await?);
    Some(unread::read_up_to(session))
}
