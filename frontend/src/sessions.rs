//! Filters that take effect at once. Without script they are a plain form, and a link is a link.

use leptos::prelude::lazy;

/// Listens to the forms of the pages of sessions, search and statistics.
#[lazy]
pub async fn filters() {
    filters::start();
}

mod filters;
mod held_pointer;
mod last_message;
mod recent;
mod rows;
mod views;

pub use last_message::{can_peek, peek};
