//! Keys, buttons and the shortcut sheet. No key acts while somebody types.

use leptos::prelude::*;

/// Listens to the keys and buttons of a page. Draws nothing.
#[island]
pub fn Keys() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    {
        super::actions::start();
        super::decisions::start();
        board::start();
    }
}

#[cfg(feature = "hydrate")]
mod board;

#[cfg(feature = "hydrate")]
pub(crate) use board::mark;
