//! The event stream: one connection, its state in the rail's foot, what it says into the page's state.

use super::page_state::{Link, page_state};
use crate::icon::{Glyph, Icon, Size};
use leptos::prelude::*;

/// Says whether the page follows live. `cursor` is where the stream goes on from what the page shows.
#[island]
pub fn Live(drawn_by: String, cursor: String, session: Option<String>) -> impl IntoView {
    #[cfg(feature = "hydrate")]
    stream::connect(drawn_by, cursor, session);
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
        Link::Reconnecting => "Reconnecting",
    };
    view! { <span class="state" id="live" data-state=tag><Icon glyph=Glyph::Plug size=Size::Small/><span>{word}</span></span> }
}

#[cfg(feature = "hydrate")]
mod stream {
    use crate::islands::dom;
    use crate::islands::page_state::{Link, page_state};
    use api::events::{BuildEvent, FeedEvent, FeedKind};
    use leptos::prelude::*;
    use wasm_bindgen::JsCast;
    use web_sys::{EventSource, MessageEvent};

    /// Opens the stream. The browser reconnects by itself and says where it was.
    pub fn connect(build: String, cursor: String, session: Option<String>) {
        let mut url = format!("/v1/events?after={}", api::client::segment(&cursor));
        drop(cursor);
        // A session's page follows its own session alone; lists follow everything.
        if let Some(session) = session {
            url = format!("{url}&session={}", api::client::segment(&session));
        }
        let Ok(source) = EventSource::new(&url) else { return };
        let state = page_state();
        let link = state.link.clone();
        dom::listen(&source, "open", move |_: web_sys::Event| link.set(Link::Live));
        let (link, closed) = (state.link.clone(), source.clone());
        dom::listen(&source, "error", move |_: web_sys::Event| {
            link.set(Link::Reconnecting);
            // The browser gives up after an answer that isn't a stream: a log-in that ended, a server that starts.
            if closed.ready_state() == EventSource::CLOSED {
                dom::after(5_000, dom::reload);
            }
        });
        let (feed, changes) = (state.feed.clone(), state.changes.clone());
        dom::listen(&source, "feed", move |event: MessageEvent| {
            let Some(said) = data::<FeedEvent>(&event) else { return };
            if said.kind != FeedKind::Session {
                feed.update(|queue| queue.push(said));
            }
            changes.update(|n| *n = n.wrapping_add(1));
        });
        let imports = state.imports;
        dom::listen(&source, "import", move |_: MessageEvent| imports.update(|n| *n = n.wrapping_add(1)));
        dom::listen(&source, "build", move |event: MessageEvent| {
            if data::<BuildEvent>(&event).is_some_and(|said| said.build != build) {
                dom::reload();
            }
        });
        let leaving = source.clone();
        if let Some(window) = dom::window() {
            // A page in the back-forward cache may hold no connection.
            dom::listen(&window, "pagehide", move |_: web_sys::Event| leaving.close());
            dom::listen(&window, "pageshow", move |event: web_sys::PageTransitionEvent| {
                if event.persisted() {
                    dom::reload();
                }
            });
        }
    }

    fn data<T: serde::de::DeserializeOwned>(event: &MessageEvent) -> Option<T> {
        let text = event.data().dyn_into::<js_sys::JsString>().ok()?;
        serde_json::from_str(&String::from(text)).ok()
    }
}
