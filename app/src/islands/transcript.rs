//! The transcript: a window over chunks of messages. The server draws them; this island decides which are in the document,
//! keeps the reader's place, and lets new ones in.

use leptos::prelude::*;

/// The server counts no further.
const MANY: i64 = 1_000;

/// Stands inside `#transcript`, after the column. `at` is the `seq` that the page opens at.
#[island]
pub fn Transcript(session: String, last_seq: i64, at: Option<i64>) -> impl IntoView {
    let new = ArcRwSignal::new(0_i64);
    let paused = ArcRwSignal::new(false);
    #[cfg(feature = "hydrate")]
    super::column::start(session, last_seq, at, new.clone(), paused.clone());
    #[cfg(not(feature = "hydrate"))]
    let _ = (session, last_seq, at);
    let hidden = {
        let (new, paused) = (new.clone(), paused.clone());
        move || new.get() == 0 && !paused.get()
    };
    let words = move || {
        let count = if new.get() < MANY { new.get().to_string() } else { format!("{}+", MANY - 1) };
        if paused.get() { format!("Paused, {count} new") } else { format!("{count} new") }
    };
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
