//! A page that another site opened asks once before its keys and buttons work: the press that follows may be meant for
//! that site. The server marks its address; the mark goes along in the tab, to each page and each reload, until the
//! person goes on.

use app::browser::{dom, storage};
use app::shared::FROM_OUTSIDE;
use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, HtmlDialogElement, PageTransitionEvent};

pub fn start() {
    let marked = web_sys::UrlSearchParams::new_with_str(&dom::query()).is_ok_and(|all| all.has(FROM_OUTSIDE));
    if marked || came_back() {
        mark(true);
    }
    let Some(dialog) = dom::by_id("arrival").and_then(|it| it.dyn_into::<HtmlDialogElement>().ok()) else { return };
    dom::listen(&dialog, "submit", |_: Event| {
        mark(false);
        dom::replace_parameter(FROM_OUTSIDE, None);
    });
    let other = dialog.clone();
    // Esc is no answer.
    dom::listen(&dialog, "close", move |_: Event| ask(&other));
    let other = dialog.clone();
    if let Some(window) = dom::window() {
        dom::listen(&window, "pageshow", move |event: PageTransitionEvent| {
            if event.persisted() && came_back() {
                mark(true);
                ask(&other);
            }
        });
    }
    if marked {
        // A browser that keeps nothing for the tab has the mark in the address.
        let _ = dialog.show_modal();
    } else {
        ask(&dialog);
    }
}

fn ask(dialog: &HtmlDialogElement) {
    if is_marked() && !dialog.open() {
        let _ = dialog.show_modal();
    }
}

fn is_marked() -> bool {
    storage::of_tab().is_some_and(|storage| storage.get_item(FROM_OUTSIDE).is_ok_and(|value| value.is_some()))
}

fn mark(is_marked: bool) {
    let Some(storage) = storage::of_tab() else { return };
    let _ = if is_marked { storage.set_item(FROM_OUTSIDE, "1") } else { storage.remove_item(FROM_OUTSIDE) };
}

/// Did the history lead here from another site? Browsers that don't say where it came from don't know.
fn came_back() -> bool {
    let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).ok().filter(JsValue::is_object);
    let activation = || get(&get(&js_sys::global(), "navigation")?, "activation");
    activation().is_some_and(|activation| {
        let word = |name: &str| Reflect::get(&activation, &name.into()).unwrap_or(JsValue::UNDEFINED);
        word("navigationType").as_string().as_deref() == Some("traverse") && word("from").is_null()
    })
}
