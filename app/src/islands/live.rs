//! The event stream: one connection of all tabs, its state in the rail's foot, what it says into the page's state.
//!
//! `tab` shares the stream with the other tabs, `source` reads it where this tab holds it, `rail` keeps what every
//! page shows of all sessions: the list at the left, title, favicon, and word of a session that needs the reader.

use super::page_state::{Link, page_state};
use crate::icon::{Glyph, Icon, Size};
use leptos::prelude::*;

/// Says whether the page follows live. `cursor` is where the stream goes on from what the page shows, `session` the one
/// that this page is about.
#[island]
pub fn Live(drawn_by: String, cursor: String, session: Option<String>) -> impl IntoView {
    #[cfg(feature = "hydrate")]
    {
        rail::start(session.clone());
        tab::start(drawn_by, cursor, session);
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = (drawn_by, cursor, session);
    let link = page_state().link;
    let tag = {
        let link = link.clone();
        move || if link.get() == Link::Live { "done" } else { "idle" }
    };
    let word = move || match link.get() {
        Link::Connecting => "Connecting",
        Link::Live => "Live",
        Link::Reconnecting(_) => "Reconnecting",
        Link::Offline => "Offline",
        Link::Replaying(_) => "Catching up",
    };
    view! { <span class="state" id="live" data-state=tag><Icon glyph=Glyph::PLUG size=Size::Small/><span>{word}</span></span> }
}

/// What a page that isn't live can't show, above everything else. Empty while it is live.
#[island]
pub fn LinkNotice() -> impl IntoView {
    let link = page_state().link;
    let since = RwSignal::new(String::new());
    let kept = kept();
    #[cfg(feature = "hydrate")]
    {
        let link = link.clone();
        Effect::new(move |_| {
            let lost = matches!(link.get(), Link::Reconnecting(_) | Link::Offline);
            if !lost {
                since.set(String::new());
            } else if since.with_untracked(String::is_empty) {
                since.set(super::dom::time_of_day());
            }
        });
    }
    let words = move || match link.get() {
        // One attempt is what a server takes that starts again.
        Link::Connecting | Link::Live | Link::Reconnecting(0 | 1) => String::new(),
        Link::Reconnecting(n) => {
            format!(
                "No answer since {}, attempt {n}. What was written since isn't here yet; it comes with the connection.",
                since.get()
            )
        }
        Link::Offline => match &kept {
            Some(at) => format!("Offline: as of {at}. The page goes on by itself when the server answers."),
            None => format!(
                "Offline since {}. What was written since isn't here yet; it comes with the connection.",
                since.get()
            ),
        },
        Link::Replaying(behind) => format!("Catching up: {} behind", crate::figures::counted(behind, "change")),
    };
    let hidden = {
        let words = words.clone();
        move || words().is_empty()
    };
    view! { <p class="link-notice" id="link-notice" role="status" hidden=hidden>{words}</p> }
}

/// When the page was read, where it doesn't come from the server.
fn kept() -> Option<String> {
    #[cfg(feature = "hydrate")]
    return super::dom::kept_at().map(|at| super::times::day_and_hour(at, js_sys::Date::now()));
    #[cfg(not(feature = "hydrate"))]
    None
}

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
