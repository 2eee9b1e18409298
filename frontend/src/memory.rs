//! The page of memories: forgetting them, and having their vectors made anew.

use crate::forms;
use app::browser::dom;
use leptos::prelude::lazy;

/// Listens to the page of memories.
#[lazy]
pub async fn memory() {
    if let Some(main) = dom::by_id("main") {
        forms::listen(&main, dom::reload);
    }
}
