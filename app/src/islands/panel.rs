//! The right panel: tabs, diffs that are fetched when a file is opened, open and closed.

use leptos::prelude::*;

/// Listens to `#panel`. Draws nothing.
#[island]
pub fn PanelTabs() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    {
        edge::start();
        if let Some(session) = super::dom::session() {
            tabs::start(&session);
        }
    }
}

#[cfg(feature = "hydrate")]
mod edge;
#[cfg(feature = "hydrate")]
mod swap;
#[cfg(feature = "hydrate")]
mod tabs;

#[cfg(feature = "hydrate")]
pub(crate) use swap::swap;
#[cfg(feature = "hydrate")]
pub(crate) use tabs::{close_floating, open, refresh};
