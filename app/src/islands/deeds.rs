//! What a hand on the page sets off: a part of its own, which is loaded at the first key or press. What must happen at once,
//! as that a key isn't the browser's any more, is done by who calls it.

use super::keys::table::Command;
use super::toast::{self, Then};
use super::{actions, keys, manage};
use leptos::prelude::lazy;
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
    Toast(String, Then),
    /// A button of a toast.
    Toasted(Element),
}

pub fn set_off(deed: Deed) {
    wasm_bindgen_futures::spawn_local(obey_hand(deed));
}

#[lazy]
async fn obey_hand(deed: Deed) {
    match deed {
        Deed::Command(command) => {
            keys::act(command);
        }
        Deed::Escape => keys::escape(),
        Deed::Action(action, button) => {
            if manage::act(&action, &button) {
                manage::close_menu(&button);
            } else {
                actions::act(&action, &button);
            }
        }
        Deed::Aim(button) => manage::aim(&button),
        Deed::Select(tick) => manage::tick(&tick),
        Deed::SelectTo(tick) => manage::tick_to(&tick),
        Deed::Toast(words, then) => toast::lay(&words, then),
        Deed::Toasted(button) => toast::press(&button),
    }
}
