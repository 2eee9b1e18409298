//! Comments that were begun and not added: kept with their lines for as long as the tab lives, and there again when the
//! field is.

use super::lines::Lines;
use super::{cards, notes, store};
use api::json;
use app::browser::dom;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTextAreaElement, Storage};

#[derive(Default, Serialize, Deserialize)]
struct Unfinished {
    /// What was written, by path and lines, or by the comment that is changed.
    texts: BTreeMap<String, String>,
    /// The field that was open: id of the file, lines, the comment that is changed.
    open: Option<(String, String, Option<u32>)>,
}

fn storage() -> Option<Storage> {
    dom::window()?.session_storage().ok().flatten()
}

fn name() -> String {
    format!("unfinished:{}", store::session())
}

fn all() -> Unfinished {
    let text = storage().and_then(|storage| storage.get_item(&name()).ok().flatten());
    text.and_then(|text| json::read(text.as_bytes()).ok()).unwrap_or_default()
}

fn change(act: impl FnOnce(&mut Unfinished)) {
    let mut all = all();
    act(&mut all);
    if let (Some(storage), Ok(text)) = (storage(), json::write(&all)) {
        let _ = storage.set_item(&name(), &text);
    }
}

fn key(card: &Element, lines: &str, id: Option<u32>) -> String {
    match id {
        Some(id) => format!("#{id}"),
        None => format!("{} {lines}", card.get_attribute("data-path").unwrap_or_default()),
    }
}

fn id(note: &Element) -> Option<u32> {
    note.get_attribute("data-of")?.parse().ok()
}

/// What was begun for these lines, if anything.
pub fn text(card: &Element, lines: &Lines, id: Option<u32>) -> Option<String> {
    all().texts.remove(&key(card, &lines.words(), id))
}

/// Takes note of the field that is open, and of what it says.
pub fn keep(note: &Element) {
    let field = dom::find(note, "textarea").and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok());
    let (Some(field), Some(card)) = (field, cards::of(note)) else { return };
    let lines = note.get_attribute("data-lines").unwrap_or_default();
    let (key, text) = (key(&card, &lines, id(note)), field.value());
    change(|all| {
        if text.trim().is_empty() {
            all.texts.remove(&key);
        } else {
            all.texts.insert(key, text);
        }
        all.open = Some((card.id(), lines, id(note)));
    });
}

/// A comment was added, or is given up.
pub fn forget(note: &Element) {
    let Some(card) = cards::of(note) else { return };
    let lines = note.get_attribute("data-lines").unwrap_or_default();
    change(|all| {
        all.texts.remove(&key(&card, &lines, id(note)));
        all.open = None;
    });
}

/// Another field was opened instead, or none.
pub fn close() {
    if all().open.is_some() {
        change(|all| all.open = None);
    }
}

/// The file was drawn anew: the field that was open in it is open again.
pub fn reopen(card: &Element) {
    let Some((_, lines, id)) = all().open.filter(|(file, ..)| *file == card.id()) else { return };
    if dom::find(card, ".writing-note").is_some() {
        return;
    }
    match (id, Lines::parse(&lines)) {
        (Some(id), _) => notes::edit(card, id),
        (None, Some(lines)) => notes::write(card, &lines),
        (None, None) => {}
    }
}
