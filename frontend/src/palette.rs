//! Opens the palette, an island of `app`.

use crate::{changes, targets, transcript};
use app::browser::dom;
use app::browser::page_state::page_state;
use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, HtmlInputElement};

/// Opens it at once: the next key is for its field, also where the island is still being loaded.
pub fn open() {
    let dialog = dom::by_id("palette").and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok());
    let field = dom::by_id("palette-field").and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
    let (Some(dialog), Some(field)) = (dialog.filter(|dialog| !dialog.open()), field) else { return };
    let session = transcript::session().map(|session| format!("&session={}", api::endpoint::segment(&session)));
    let changes = if changes::is_here() { "&changes=1" } else { "" };
    // Which commands are possible depends on the focus, which is lost when the dialog opens.
    page_state().palette.set(format!("{}{changes}&can={}", session.unwrap_or_default(), targets::possible()));
    field.set_value("");
    let _ = dialog.show_modal();
    let _ = field.focus();
}
