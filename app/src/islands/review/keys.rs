//! Keys of the changes page. They go before those of all pages.

use super::{cards, lines, page, walk};
use crate::islands::{dom, keys};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::KeyboardEvent;

pub fn start() {
    let Some(document) = dom::document() else { return };
    let pressed = Closure::<dyn FnMut(KeyboardEvent)>::new(|event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.is_composing() || dom::typing() {
            return;
        }
        let is_dialog = dom::document().and_then(|d| d.query_selector("dialog[open]").ok().flatten()).is_some();
        if !is_dialog && keys::free(&event.key()) && press(&event.key()) {
            event.prevent_default();
            event.stop_propagation();
        }
    });
    // On the way down, so that `[` and `]` mean files here.
    let function = pressed.as_ref().unchecked_ref();
    let _ = document.add_event_listener_with_callback_and_bool("keydown", function, true);
    pressed.forget();
}

fn press(key: &str) -> bool {
    match key {
        "n" => walk::step(true),
        "p" => walk::step(false),
        "]" => walk::file(true),
        "[" => walk::file(false),
        "u" => page::view("unified"),
        "s" => page::view("split"),
        "z" => page::turn("wrap"),
        "w" => page::turn("spaces"),
        "c" => return lines::comment(),
        "v" => match walk::current_file() {
            Some(card) => {
                let viewed = !super::store::is_viewed(&card);
                cards::view(&card, viewed);
                if viewed {
                    walk::file(true);
                }
            }
            None => return false,
        },
        "F7" => match walk::current_file() {
            Some(card) => page::table(&card),
            None => return false,
        },
        _ => return false,
    }
    true
}
