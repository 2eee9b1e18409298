//! The queue of toasts: what was done, said at the bottom of the page, with its undo. `frontend` draws them.

use api::{Method, Problem};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// The request that takes something back.
#[derive(Clone)]
pub struct Undo {
    pub method: Method,
    pub path: String,
    pub body: Value,
}

/// Follow-up of a toast.
pub enum Then {
    /// It goes by itself.
    Nothing,
    Undo(Undo),
    /// It stays until it is closed.
    Failed,
}

pub struct Toast {
    pub words: String,
    pub then: Then,
}

thread_local! {
    static QUEUE: RefCell<VecDeque<Toast>> = const { RefCell::new(VecDeque::new()) };
    static DRAW: Cell<fn()> = const { Cell::new(|| {}) };
}

/// Sets what is called after each new toast: it takes all that [`next`] gives.
pub fn on_new(draw: fn()) {
    DRAW.set(draw);
}

/// Takes the oldest toast that waits.
pub fn next() -> Option<Toast> {
    QUEUE.with_borrow_mut(VecDeque::pop_front)
}

pub fn show(words: &str, then: Then) {
    QUEUE.with_borrow_mut(|queue| queue.push_back(Toast { words: words.to_owned(), then }));
    DRAW.get()();
}

/// Shows what went wrong, until it is closed.
pub fn fail(problem: &Problem) {
    show(&problem.to_string(), Then::Failed);
}
