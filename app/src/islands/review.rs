//! The changes page in the browser: differences are fetched as they come near, coloured without elements, walked through by
//! keys, ticked off, and commented line by line.

use leptos::prelude::*;

/// Stands inside `#files`. Draws nothing.
#[island(lazy)]
pub fn Review() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    page::start();
}

#[cfg(feature = "hydrate")]
mod blocks;
#[cfg(feature = "hydrate")]
mod cards;
#[cfg(feature = "hydrate")]
mod comments;
#[cfg(feature = "hydrate")]
mod keys;
#[cfg(feature = "hydrate")]
mod lines;
#[cfg(feature = "hydrate")]
mod notes;
#[cfg(feature = "hydrate")]
mod page;
#[cfg(feature = "hydrate")]
mod paint;
#[cfg(feature = "hydrate")]
mod store;
#[cfg(feature = "hydrate")]
mod walk;
