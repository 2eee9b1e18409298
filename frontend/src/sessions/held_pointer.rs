//! A click is what a press and its release make on one element: while the pointer is down on the list, nothing there is
//! replaced.

use app::browser::dom;
use std::cell::{Cell, RefCell};
use web_sys::{Element, PointerEvent};

thread_local! {
    static DOWN: Cell<bool> = const { Cell::new(false) };
    /// A drawing that waits for the release of the pointer. A later one replaces it.
    static WAITING: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
}

pub fn watch(list: &Element) {
    dom::listen_capturing(list, "pointerdown", |_: PointerEvent| DOWN.set(true));
    let Some(window) = dom::window() else { return };
    for end in ["pointerup", "pointercancel"] {
        dom::listen_capturing(&window, end, |_: PointerEvent| {
            if DOWN.replace(false) {
                // The click comes after the release.
                dom::after(0, || {
                    if let Some(action) = WAITING.take() {
                        action();
                    }
                });
            }
        });
    }
}

/// Now, or once the pointer is up.
pub fn when_released(action: impl FnOnce() + 'static) {
    if DOWN.get() {
        WAITING.set(Some(Box::new(action)));
    } else {
        action();
    }
}
