//! The folders page: consent, pause, exclude, forget, and the progress of imports.

use leptos::prelude::*;

/// Listens to the folders page. Draws nothing.
#[island(lazy)]
pub fn Folders() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    {
        page::start();
    }
}

#[cfg(feature = "hydrate")]
mod page;
