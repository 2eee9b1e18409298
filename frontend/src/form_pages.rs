//! Pages that are only a form: memories, which are forgotten or get new vectors, and the text to erase.

use crate::forms;
use app::browser::dom;
use leptos::prelude::lazy;

/// Listens to the forms of the page.
#[lazy]
pub async fn form_pages() {
    if let Some(main) = dom::by_id("main") {
        forms::listen(&main, dom::reload);
    }
}
