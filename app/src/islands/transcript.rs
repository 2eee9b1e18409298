//! The transcript: a window over chunks of messages. The server draws them; this island decides which are in the document,
//! keeps the reader's place, and lets new ones in.

use leptos::prelude::*;

/// Stands inside `#transcript`, which says the last `seq` and the one that the page opens at. Draws nothing.
#[island]
pub fn Transcript() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    super::column::start();
}
