//! Times stay true while a page is open, and speak the reader's own time zone on hover.

use leptos::prelude::*;

/// Refreshes every `time[data-us]` each half minute. Draws nothing.
#[island]
pub fn Times() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    clock::start();
}

#[cfg(feature = "hydrate")]
mod clock;

#[cfg(feature = "hydrate")]
pub(crate) use clock::{day_and_hour, refresh};
