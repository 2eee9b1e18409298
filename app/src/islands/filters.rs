//! Filters that take effect at once. Without script they are a plain form, and a link is a link.

use leptos::prelude::*;

/// Listens to the forms of the sessions page and of the search page. Draws nothing.
#[island(lazy)]
pub fn Filters() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    {
        form::start();
    }
}

#[cfg(feature = "hydrate")]
mod form;
#[cfg(feature = "hydrate")]
mod last_message;
#[cfg(feature = "hydrate")]
mod recent;
#[cfg(feature = "hydrate")]
mod rows;
#[cfg(feature = "hydrate")]
mod views;

#[cfg(feature = "hydrate")]
pub(crate) use form::refresh;
#[cfg(feature = "hydrate")]
pub(crate) use last_message::{can_peek, peek};
