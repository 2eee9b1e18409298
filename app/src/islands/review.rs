//! The changes page in the browser: differences are fetched as they come near, coloured without elements, walked through by
//! keys, ticked off, and commented line by line.

use leptos::prelude::*;
use model::envelope::LineComment;
use serde::{Deserialize, Serialize};

/// Stands inside `#files`. Draws nothing.
#[island(lazy)]
pub fn Review() -> impl IntoView {
    #[cfg(feature = "hydrate")]
    {
        page::start();
    }
}

/// A comment that was sent, and the message that holds it: as the page tells its island.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sent {
    pub message: String,
    pub comment: LineComment,
}

/// Stands for a text in an address: short, and the same in the browser and on the server.
pub fn text_hash(text: &str) -> String {
    // FNV-1a.
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{hash:08x}")
}

#[cfg(feature = "hydrate")]
mod beneath;
#[cfg(feature = "hydrate")]
mod blocks;
#[cfg(feature = "hydrate")]
mod cards;
#[cfg(feature = "hydrate")]
mod comments;
#[cfg(feature = "hydrate")]
mod copying;
#[cfg(feature = "hydrate")]
mod images;
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
mod reel;
#[cfg(feature = "hydrate")]
mod restore;
#[cfg(feature = "hydrate")]
mod rows;
#[cfg(feature = "hydrate")]
mod sent;
#[cfg(feature = "hydrate")]
mod shelf;
#[cfg(feature = "hydrate")]
mod shown;
#[cfg(feature = "hydrate")]
mod store;
#[cfg(feature = "hydrate")]
mod unfinished;
#[cfg(feature = "hydrate")]
mod walk;
#[cfg(feature = "hydrate")]
mod wrap;

#[cfg(feature = "hydrate")]
pub(crate) use keys::{is_here, run};
