//! The edge of the panel, which is moved by the pointer and by the arrow keys. How wide it is the browser remembers;
//! `boot.js` sets it before the page is seen.

use app::browser::{dom, storage};
use std::cell::Cell;
use web_sys::{Element, KeyboardEvent, PointerEvent};

const KEY: &str = "panel.width";
const USUAL: i32 = 372;
const LEAST: i32 = 280;
/// Minimum width that the transcript keeps beside the rail and the panel, in pixels.
const OTHERS: i32 = 248 + 400;
/// By which a key moves it.
const STEP: i32 = 16;

thread_local! {
    static MOVES: Cell<bool> = const { Cell::new(false) };
}

pub fn start() {
    let Some(edge) = dom::by_id("panel-edge") else { return };
    show(&edge, width());
    let (down, moved) = (edge.clone(), edge.clone());
    dom::listen(&edge, "pointerdown", move |event: PointerEvent| {
        MOVES.set(down.set_pointer_capture(event.pointer_id()).is_ok());
        event.prevent_default();
    });
    dom::listen(&edge, "pointermove", move |event: PointerEvent| {
        if MOVES.get() {
            show(&moved, inner_width() - event.client_x());
        }
    });
    for name in ["pointerup", "pointercancel"] {
        let edge = edge.clone();
        dom::listen(&edge.clone(), name, move |_: PointerEvent| {
            if MOVES.replace(false) {
                keep(&edge);
            }
        });
    }
    let keyed = edge.clone();
    dom::listen(&edge, "keydown", move |event: KeyboardEvent| {
        let now = width_of(&keyed);
        let next = match event.key().as_str() {
            "ArrowLeft" => now + STEP,
            "ArrowRight" => now - STEP,
            "Home" => LEAST,
            "End" => i32::MAX,
            _ => return,
        };
        event.prevent_default();
        show(&keyed, next);
        keep(&keyed);
    });
}

fn inner_width() -> i32 {
    dom::document().and_then(|document| document.document_element()).map_or(0, |root| root.client_width())
}

fn width() -> i32 {
    storage::get(KEY).and_then(|width| width.parse().ok()).unwrap_or(USUAL)
}

fn width_of(edge: &Element) -> i32 {
    edge.get_attribute("aria-valuenow").and_then(|now| now.parse().ok()).unwrap_or(USUAL)
}

fn show(edge: &Element, width: i32) {
    let most = (inner_width() - OTHERS).max(LEAST);
    let width = width.clamp(LEAST, most);
    for (name, value) in [("now", width), ("min", LEAST), ("max", most)] {
        let _ = edge.set_attribute(&format!("aria-value{name}"), &value.to_string());
    }
    if let Some(app) = dom::by_id("app").as_ref().and_then(dom::html) {
        let _ = app.style().set_property("--panel", &format!("{width}px"));
    }
}

fn keep(edge: &Element) {
    storage::set(KEY, Some(&width_of(edge).to_string()));
}
