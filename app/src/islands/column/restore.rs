//! The reader's place outlives the page: back and reload lead to the same row, as far below the top of the view.

use super::{Anchor, Column, moves, place};
use crate::islands::dom;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// A place is written in the steps in which browsers lay out, of a pixel: to read a fraction would take 10 kB of WebAssembly.
const STEPS: f64 = 64.0;

/// Keeps the place in the entry of the history that is left.
pub fn listen(column: &Rc<Column>) {
    let Some(window) = dom::window() else { return };
    let left = column.clone();
    dom::listen(&window, "pagehide", move |_: web_sys::Event| {
        let place = match left.state.borrow().anchor {
            Anchor::End => "end".to_owned(),
            Anchor::Row { seq, offset } => format!("{seq} {}", (offset * STEPS).round() as i64),
            Anchor::Chunk { .. } => return,
        };
        if let Some(history) = dom::window().and_then(|w| w.history().ok()) {
            let _ = history.replace_state(&JsValue::from_str(&place), "");
        }
    });
}

/// Goes where the reader was. Says whether that is known.
pub fn reopen(column: &Rc<Column>) -> bool {
    let state = dom::window().and_then(|w| w.history().ok()).and_then(|history| history.state().ok());
    let Some(place) = state.and_then(|state| state.as_string()) else { return false };
    if place == "end" {
        return true;
    }
    let Some((seq, offset)) = place.split_once(' ') else { return false };
    let (Ok(seq), Ok(offset)) = (seq.parse(), offset.parse::<i64>()) else { return false };
    moves::aim(column, seq);
    column.state.borrow_mut().back = Some(offset as f64 / STEPS);
    moves::reach_goal(column);
    place::place(column);
    true
}
