//! The table of kinds.

use crate::channel::Kind;
use crate::{addressed, discord, matrix, slack, webhook};

/// Every kind of channel, in the order in which the settings offer them.
pub const KINDS: &[&Kind] = &[&matrix::KIND, &slack::KIND, &discord::KIND, &webhook::KIND, &addressed::KIND];

/// Returns the kind with this name.
pub fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().copied().find(|kind| kind.name == name)
}
