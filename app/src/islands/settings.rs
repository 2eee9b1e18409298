//! The settings page: keys of agents, devices, looks, shortcuts, names.

use leptos::prelude::*;

/// Listens to the settings page. Draws nothing.
#[island(lazy)]
pub fn Settings() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    {
        page::start();
    }
}

#[cfg(feature = "hydrate")]
mod page;
#[cfg(feature = "hydrate")]
mod remap;
