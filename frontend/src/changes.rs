//! The changes page in the browser: differences are fetched as they come near, coloured without elements, walked
//! through by keys, ticked off, and commented line by line.

use leptos::prelude::lazy;

/// Listens to the changes page.
#[lazy]
pub async fn changes() {
    page::start();
}

mod below_line;
mod blocks;
mod cards;
mod change_steps;
mod copying;
mod drawn_lines;
mod file_lists;
mod highlights;
mod images;
mod keys;
mod lines;
mod notes;
mod page;
mod restore;
mod rows;
mod store;
mod virtual_list;
mod wrap;

pub use keys::{is_here, run};
