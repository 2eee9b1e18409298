//! Toasts at the bottom of the page, with undo. At most three; an error stays until it is closed.
//!
//! An undo is a request, so that the latest one is also available on the next page, for as long as on this one.

use crate::toast_stack;
use api::{Method, json};
use app::browser::dispatch::{UiAction, enqueue};
use app::browser::toast::{self, Then, Undo};
use app::browser::{dom, storage};
use app::shared::attr;
use leptos::prelude::lazy;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use web_sys::{Element, MouseEvent};

/// Milliseconds for which a toast can be read.
const LIFE: i32 = 10_000;
/// Name of the latest undo, in the tab's own storage.
const WAITING: &str = "toast";

thread_local! {
    static UNDOS: RefCell<Vec<(u32, Undo)>> = const { RefCell::new(Vec::new()) };
    static LATEST: Cell<u32> = const { Cell::new(0) };
}

pub fn start() {
    toast::on_new(|| enqueue(UiAction::DrawToasts));
    let Some(place) = dom::by_id("toasts") else { return };
    dom::listen(&place, "click", |event: MouseEvent| {
        if let Some(button) = dom::closest(&event, "[data-toast] button") {
            enqueue(UiAction::ToastButton(button));
        }
    });
    if let Some(text) = storage::of_tab().and_then(|storage| storage.get_item(WAITING).ok().flatten()) {
        wasm_bindgen_futures::spawn_local(show_waiting(text));
    }
}

/// Closes its toast, after what the button says.
pub fn press(button: &Element) {
    let Ok(Some(toast)) = button.closest("[data-toast]") else { return };
    if button.get_attribute(attr::DO).as_deref() == Some("undo") {
        take_back(number(&toast));
    }
    remove(&toast);
}

#[lazy]
async fn show_waiting(text: String) {
    let waited: Value = json::read(text.as_bytes()).unwrap_or_default();
    let left = waited["until"].as_f64().unwrap_or_default() - js_sys::Date::now();
    match (waited["words"].as_str(), undo_of(&waited["undo"])) {
        (Some(words), Some(undo)) if left > 0.0 => show_for(words, Then::Undo(undo), LIFE.min(left as i32)),
        _ => forget(),
    }
}

/// An undo of an earlier page. All of them change something: `PATCH`.
fn undo_of(kept: &Value) -> Option<Undo> {
    let (path, body) = (kept[0].as_str()?.to_owned(), kept[1].clone());
    Some(Undo { method: Method::Patch, path, body })
}

fn forget() {
    if let Some(storage) = storage::of_tab() {
        let _ = storage.remove_item(WAITING);
    }
}

/// Says it on the next page too, should that come while it can be undone.
pub fn keep(words: &str, undo: &Undo) {
    if let Some(storage) = storage::of_tab() {
        let until = js_sys::Date::now() + f64::from(LIFE);
        let waiting = json!({ "words": words, "undo": [undo.path, undo.body], "until": until });
        let _ = storage.set_item(WAITING, &json::write(&waiting).unwrap_or_default());
    }
}

/// Draws the toasts that wait in the queue.
pub fn draw() {
    while let Some(toast) = toast::next() {
        show_for(&toast.words, toast.then, LIFE);
    }
}

fn show_for(words: &str, then: Then, life: i32) {
    let Some(place) = dom::by_id("toasts") else { return };
    let number = LATEST.get().wrapping_add(1);
    LATEST.set(number);
    let Some(element) = element(words, &then, number) else { return };
    toast_stack::push(&place, &element, remove);
    let stays = matches!(then, Then::Failed);
    if let Then::Undo(undo) = then {
        UNDOS.with_borrow_mut(|all| all.push((number, undo)));
    }
    if !stays {
        toast_stack::fade(element, life, remove);
    }
}

fn element(words: &str, then: &Then, number: u32) -> Option<Element> {
    let element = dom::drawn("toast-drawn")?;
    let _ = element.set_attribute(attr::TOAST, &number.to_string());
    dom::say(&element, "p", words);
    if matches!(then, Then::Failed) {
        let _ = element.set_attribute(attr::STATE, "failed");
    }
    if !matches!(then, Then::Undo(_)) {
        dom::find(&element, "[data-do=undo]")?.remove();
    }
    Some(element)
}

fn number(toast: &Element) -> u32 {
    toast.get_attribute(attr::TOAST).and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn remove(toast: &Element) {
    let number = number(toast);
    let was_latest = UNDOS.with_borrow_mut(|all| {
        let was_latest = all.last().is_some_and(|(known, _)| *known == number);
        all.retain(|(known, _)| *known != number);
        was_latest
    });
    if was_latest {
        forget();
    }
    toast.remove();
}

/// Returns true if there is anything that can be taken back.
pub fn can_undo() -> bool {
    dom::by_id("toasts").is_some_and(|place| dom::find(&place, "[data-do=undo]").is_some())
}

/// Takes the latest thing back that can be. Returns true if there was one.
pub fn undo() -> bool {
    let latest = UNDOS.with_borrow(|all| all.last().map(|(number, _)| *number));
    let Some(latest) = latest else { return false };
    take_back(latest);
    let place = dom::by_id("toasts").and_then(|place| dom::find(&place, &format!("[data-toast=\"{latest}\"]")));
    if let Some(toast) = place {
        remove(&toast);
    }
    true
}

fn take_back(number: u32) {
    let undo = UNDOS.with_borrow(|all| all.iter().find(|(known, _)| *known == number).map(|(_, undo)| undo.clone()));
    if let Some(undo) = undo {
        enqueue(UiAction::Undo(undo));
    }
}
