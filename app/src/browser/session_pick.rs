//! The field that finds a session among all of them, and puts what it found into the list beside it.

use super::{dom, fragment};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, EventInit, HtmlInputElement, HtmlSelectElement, KeyboardEvent};

/// Milliseconds without a key before sessions are looked for.
const PAUSE: i32 = 150;
const FIELD: &str = "[data-find-session]";

/// Listens to the fields in an element, those that are drawn later as well.
pub fn listen(root: &Element) {
    dom::listen(root, "input", |event: Event| {
        if let Some(field) = dom::closest(&event, FIELD).and_then(|field| field.dyn_into().ok()) {
            look(field);
        }
    });
    dom::listen(root, "keydown", |event: KeyboardEvent| {
        // The form sends the list's choice, and the list may still be on its way.
        if event.key() == "Enter"
            && !event.is_composing()
            && let Some(field) = dom::closest(&event, FIELD)
        {
            event.prevent_default();
            if let Some(list) = list_of(&field) {
                let _ = list.focus();
            }
        }
    });
}

fn list_of(field: &Element) -> Option<HtmlSelectElement> {
    dom::find(&field.closest(".session-pick").ok()??, "select")?.dyn_into().ok()
}

fn look(field: HtmlInputElement) {
    let words = field.value();
    // Until the answer is here, the list isn't what the words say.
    field.set_custom_validity(if words.trim().is_empty() { "" } else { "Wait for the search" });
    dom::after(PAUSE, move || {
        if field.value() == words {
            wasm_bindgen_futures::spawn_local(fill(field, words));
        }
    });
}

async fn fill(field: HtmlInputElement, typed: String) {
    let words = typed.trim();
    let path = format!("/fragments/session-options?q={}", api::endpoint::segment(words));
    let found = fragment::fetch(&path).await.ok().and_then(|html| fragment::parse(&html));
    // Other words are there by now, which have an answer of their own.
    if field.value() != typed {
        return;
    }
    let (Some(found), Some(list)) = (found, list_of(&field)) else {
        return field.set_custom_validity("The search failed. Change the words to try again");
    };
    // Keep the option for no choice.
    for option in dom::find_all(&list, "option:not([value=''])") {
        option.remove();
    }
    let options = dom::find_all(&found, "option");
    for option in &options {
        let _ = list.append_child(option);
    }
    let first = options.first().and_then(|option| option.get_attribute("value"));
    let has_none = dom::find(&list, "option[value='']").is_some();
    list.set_value(&first.filter(|_| !words.is_empty() || !has_none).unwrap_or_default());
    let is_none = options.is_empty() && !words.is_empty();
    field.set_custom_validity(if is_none { "No session matches these words" } else { "" });
    dom::announce(if options.is_empty() { "No session matches these words" } else { "Sessions found" });
    let init = EventInit::new();
    init.set_bubbles(true);
    if let Ok(event) = Event::new_with_event_init_dict("change", &init) {
        let _ = list.dispatch_event(&event);
    }
}
