//! The changes page in the browser: differences are fetched as they come near, coloured without elements, walked through by
//! keys, ticked off, and commented line by line.

use leptos::prelude::lazy;

/// Listens to the changes page.
#[lazy]
pub async fn changes() {
    page::start();
}

mod beneath;
mod blocks;
mod cards;
mod comments;
mod copying;
mod images;
mod keys;
mod lines;
mod notes;
mod page;
mod paint;
mod reel;
mod restore;
mod rows;
mod sent;
mod shelf;
mod shown;
mod store;
mod unfinished;
mod walk;
mod wrap;

pub use keys::{is_here, run};
