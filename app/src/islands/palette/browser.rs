//! The browser's part of the palette.

use super::{Palette, id};
use crate::browser::dispatch::{UiAction, enqueue};
use crate::browser::page_state::page_state;
use crate::browser::{dom, fragment, toast};
use crate::shared::keymap;
use crate::shared::palette::{Does, Group, Requests, count, deed};
use api::{Problem, json};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

fn typed() -> String {
    let field = dom::by_id("palette-field").and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
    field.map(|field| field.value()).unwrap_or_default()
}

/// Lists anew whenever it is opened, and keeps the chosen option in view.
pub fn start(palette: Palette) {
    // Letters that were typed before this part came stay.
    palette.query.set(typed());
    page_state().palette.follow(move || {
        palette.query.set(typed());
        show(palette, palette.recent.get_value());
        ask(palette);
    });
    Effect::new(move |_| {
        palette.found.track();
        if let Some(option) = palette.chosen.get().and_then(|number| dom::by_id(&id(number))) {
            dom::bring_into_view(&option);
        }
    });
}

fn show(palette: Palette, found: Option<Vec<Group>>) {
    palette.chosen.set(found.as_deref().filter(|groups| count(groups) > 0).map(|_| 0));
    palette.found.set(found);
}

/// Asks for what the field says.
pub fn ask(palette: Palette) {
    let Some(turn) = palette.requests.try_update_value(Requests::begin) else { return };
    let words = palette.query.get_untracked();
    let path = format!("/fragments/palette?q={}{}", api::endpoint::segment(&words), page_state().palette.get());
    wasm_bindgen_futures::spawn_local(async move {
        let answer = fragment::fetch(&path).await.and_then(|text| {
            let groups = json::read::<Vec<Group>>(text.as_bytes());
            groups.map_err(|_| Problem::transport("The server's response is invalid"))
        });
        let Some(chooses) = palette.requests.try_update_value(|all| all.answer(turn)).flatten() else { return };
        match answer {
            Ok(groups) => {
                if words.is_empty() {
                    palette.recent.set_value(Some(groups.clone()));
                }
                show(palette, Some(groups));
                if chooses {
                    choose(palette, palette.chosen.get_untracked());
                }
            }
            Err(problem) => {
                show(palette, None);
                toast::fail(&problem);
            }
        }
    });
}

/// Closes, and does what an option says.
pub fn choose(palette: Palette, number: Option<usize>) {
    let does = palette.found.with_untracked(|groups| deed(groups.as_deref()?, number?).cloned());
    let Some(does) = does else { return };
    close(palette);
    match does {
        Does::Go(address) => dom::go_to(&address),
        Does::Run(id) => {
            if let Some(entry) = keymap::find(&id) {
                enqueue(UiAction::Command(entry.command));
            }
        }
        Does::Look(name, value) => dom::set_look(&name, &value),
    }
}

pub fn close(palette: Palette) {
    if let Some(dialog) = palette.dialog.get_untracked() {
        dialog.close();
    }
}
