//! Keys, buttons and the shortcut sheet. No single key acts while somebody types.

use leptos::prelude::*;

pub mod table;

/// Listens to the keys and buttons of a page. Draws nothing.
#[island]
pub fn Keys(
    /// Do keys act that are pressed alone?
    single: bool,
    /// Commands with other keys than usual.
    changed: table::Changed,
) -> impl IntoView {
    #[cfg(feature = "hydrate")]
    {
        super::actions::start();
        super::decisions::start();
        super::manage::start();
        super::menus::start();
        super::palette::start();
        super::position::start();
        super::toast::start();
        board::start(single, &changed);
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = (single, changed);
}

#[cfg(feature = "hydrate")]
mod board;

#[cfg(feature = "hydrate")]
pub(crate) use board::{configure, current, mark, possible, run_by_id};
