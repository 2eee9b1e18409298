//! Keys, buttons and the shortcut sheet. No single key acts while somebody types.

pub mod table;

/// Listens to the keys and buttons of a page. `#app` says which keys the person has, if not the usual ones.
#[cfg(feature = "hydrate")]
pub fn start() {
    use super::{actions, decisions, manage, menus, position, toast};

    actions::start();
    decisions::start();
    manage::start();
    menus::start();
    position::start();
    toast::start();
    board::start();
}

#[cfg(feature = "hydrate")]
mod board;

#[cfg(feature = "hydrate")]
pub(crate) use board::{act, act_by_id, configure, current, escape, mark, possible};
