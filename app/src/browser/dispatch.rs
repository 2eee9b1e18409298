//! The queue of UI actions. What runs them is loaded at the first one. What must happen at once, as that a key isn't
//! the browser's any more, is done by who enqueues.

use super::toast::Undo;
use crate::shared::keymap::Command;
use crate::shared::page_action::PageAction;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use web_sys::Element;

pub enum UiAction {
    Command(Command),
    Escape,
    /// The action of a button's `data-action`.
    Button(PageAction, Element),
    /// The menu of rows opens for this button's row.
    OpenRowMenu(Element),
    /// A row is ticked; with all rows from the last one on.
    Select(Element),
    SelectTo(Element),
    /// Toasts wait to be drawn.
    DrawToasts,
    Undo(Undo),
    /// A button of a toast.
    ToastButton(Element),
}

thread_local! {
    static QUEUE: RefCell<VecDeque<UiAction>> = const { RefCell::new(VecDeque::new()) };
    static RUN: Cell<fn()> = const { Cell::new(|| {}) };
}

/// Sets what runs the queue: it takes all that [`next`] gives.
pub fn start(run: fn()) {
    RUN.set(run);
}

pub fn enqueue(action: UiAction) {
    QUEUE.with_borrow_mut(|queue| queue.push_back(action));
    RUN.get()();
}

/// Takes the oldest action that waits.
pub fn next() -> Option<UiAction> {
    QUEUE.with_borrow_mut(VecDeque::pop_front)
}

/// Is a field about to come that is typed into? Until then letters are no keys.
pub fn brings_field() -> bool {
    QUEUE.with_borrow(|queue| queue.iter().any(|action| matches!(action, UiAction::Command(Command::Rename))))
}
