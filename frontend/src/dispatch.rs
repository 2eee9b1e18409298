//! What a hand on the page sets off: a part of its own, which is loaded at the first key or press. What must happen at once,
//! as that a key isn't the browser's any more, is done by who calls it.

use crate::{actions, keyboard, palette, session_actions, toasts};
use app::browser::toast::Undo;
use app::shared::keymap::Command;
use leptos::prelude::lazy;
use std::cell::RefCell;
use std::collections::VecDeque;
use web_sys::Element;

pub enum Deed {
    Command(Command),
    Escape,
    /// What a button says with `data-action`.
    Action(String, Element),
    /// The menu of rows opens for this button's row.
    Aim(Element),
    /// A row is ticked; with all rows from the last one on.
    Select(Element),
    SelectTo(Element),
    /// Toasts wait to be drawn.
    Toasts,
    Undo(Undo),
    /// The palette was opened.
    Palette,
    /// A button of a toast.
    Toasted(Element),
}

thread_local! {
    /// What waits for the part, in its order.
    static DUE: RefCell<VecDeque<Deed>> = const { RefCell::new(VecDeque::new()) };
}

pub fn set_off(deed: Deed) {
    DUE.with_borrow_mut(|due| due.push_back(deed));
    wasm_bindgen_futures::spawn_local(obey_hand());
}

/// Is a field about to come that is typed into? Until then letters are no keys.
pub fn brings_field() -> bool {
    DUE.with_borrow(|due| due.iter().any(|deed| matches!(deed, Deed::Command(Command::Rename))))
}

#[lazy]
async fn obey_hand() {
    while let Some(deed) = DUE.with_borrow_mut(VecDeque::pop_front) {
        obey(deed);
    }
}

fn obey(deed: Deed) {
    match deed {
        Deed::Command(command) => {
            keyboard::act(command);
        }
        Deed::Escape => keyboard::escape(),
        Deed::Action(action, button) => {
            if session_actions::act(&action, &button) {
                session_actions::close_menu(&button);
            } else {
                actions::act(&action, &button);
            }
        }
        Deed::Aim(button) => session_actions::aim(&button),
        Deed::Select(tick) => session_actions::tick(&tick),
        Deed::SelectTo(tick) => session_actions::tick_to(&tick),
        Deed::Toasts => toasts::draw(),
        Deed::Undo(undo) => session_actions::take_back(undo),
        Deed::Palette => palette::opened(),
        Deed::Toasted(button) => toasts::press(&button),
    }
}
