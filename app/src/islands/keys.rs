//! Keys, buttons and the shortcut sheet. No single key acts while somebody types.

use leptos::prelude::*;

pub mod table;

/// Listens to the keys and buttons of a page. `#app` says which keys the person has, if not the usual ones. Draws nothing.
#[island]
pub fn Keys() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    {
        super::actions::start();
        super::decisions::start();
        super::manage::start();
        super::menus::start();
        super::position::start();
        super::toast::start();
        board::start();
    }
}

#[cfg(feature = "hydrate")]
mod board;

#[cfg(feature = "hydrate")]
pub(crate) use board::{act, act_by_id, configure, current, escape, mark, possible};
