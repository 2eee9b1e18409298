//! The transcript: a window over chunks of messages. The server draws them; this island decides which are in the document,
//! keeps the reader's place, and lets new ones in.

use leptos::prelude::*;

/// Stands inside `#transcript`, after the column. `at` is the `seq` that the page opens at.
#[island]
pub fn Transcript(session: String, last_seq: i64, at: Option<i64>) -> impl IntoView {
    let new = ArcRwSignal::new(0_i64);
    #[cfg(feature = "hydrate")]
    super::column::start(session, last_seq, at, new.clone());
    #[cfg(not(feature = "hydrate"))]
    let _ = (session, last_seq, at);
    let hidden = {
        let new = new.clone();
        move || new.get() == 0
    };
    let words = move || format!("{} new", new.get());
    let down = move |_| {
        #[cfg(feature = "hydrate")]
        super::column::to_end();
    };
    view! {
        <button type="button" class="pill" id="new-messages" hidden=hidden on:click=down>
            <crate::icon::Icon glyph=crate::icon::Glyph::DN size=crate::icon::Size::Small/>{words}
        </button>
    }
}
