//! Pages that are only a form: memories, which are forgotten or get new vectors, the text to erase, and a link to share.

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
