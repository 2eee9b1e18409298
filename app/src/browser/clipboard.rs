//! Copies text, and says so on the button that was pressed.

use super::dom;
use crate::shared::attr;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, HtmlTextAreaElement};

/// Milliseconds for which a button says what it did.
const SAID: i32 = 1_600;

/// Copies a text for a button.
pub fn copy(button: Element, text: String) {
    wasm_bindgen_futures::spawn_local(async move {
        // Over plain HTTP from another machine there is no clipboard object.
        let secure = dom::window().is_some_and(|w| w.is_secure_context());
        let done = match dom::window().map(|w| w.navigator().clipboard()).filter(|_| secure) {
            Some(clipboard) => JsFuture::from(clipboard.write_text(&text)).await.is_ok(),
            None => false,
        };
        if done || copy_by_selection(&text) == Some(true) {
            say(button, "Copied", "Copied");
        } else {
            say(button, "Not copied", "The browser refused to copy");
        }
    });
}

/// The old way: a selected field and `execCommand`.
fn copy_by_selection(text: &str) -> Option<bool> {
    let document = dom::document()?.dyn_into::<web_sys::HtmlDocument>().ok()?;
    let field = document.create_element("textarea").ok()?.dyn_into::<HtmlTextAreaElement>().ok()?;
    let active = document.active_element();
    field.set_class_name("sr");
    field.set_value(text);
    document.body()?.append_child(&field).ok()?;
    field.select();
    let done = document.exec_command("copy").unwrap_or(false);
    field.remove();
    if let Some(active) = active.as_ref().and_then(dom::html) {
        let _ = active.focus();
    }
    Some(done)
}

/// The button says for a moment what happened: in its word where it has one, else in its title.
pub fn say(button: Element, word: &str, aloud: &str) {
    dom::announce(aloud);
    let _ = button.set_attribute(attr::SAID, word);
    dom::after(SAID, move || {
        let _ = button.remove_attribute(attr::SAID);
    });
}
