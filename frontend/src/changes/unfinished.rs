//! Comments that were begun and not added: kept with their lines for as long as the tab lives, and there again when the
//! field is.

use super::lines::Lines;
use super::{cards, notes, store};
use api::json;
use app::browser::dom;
use app::shared::attr;
use app::shared::comments::{Field, Unfinished};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTextAreaElement, Storage};

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

fn field_of(card: &Element, lines: String, id: Option<u32>) -> Field {
    Field { path: card.get_attribute(attr::PATH).unwrap_or_default(), lines, id }
}

/// The field of a comment that is being written, and its file.
fn field(note: &Element) -> Option<(Element, Field)> {
    let card = cards::of(note)?;
    let id = note.get_attribute(attr::OF).and_then(|id| id.parse().ok());
    let field = field_of(&card, note.get_attribute(attr::LINES).unwrap_or_default(), id);
    Some((card, field))
}

/// Returns the unfinished text for these lines, if there is one.
pub fn text(card: &Element, lines: &Lines, id: Option<u32>) -> Option<String> {
    all().text(&field_of(card, lines.words(), id)).map(str::to_owned)
}

/// Takes note of the field that is open, and of what it says.
pub fn keep(note: &Element) {
    let text = dom::find(note, "textarea").and_then(|text| text.dyn_into::<HtmlTextAreaElement>().ok());
    if let Some((text, (card, field))) = text.zip(field(note)) {
        change(|all| all.keep(card.id(), &field, text.value()));
    }
}

/// A comment was added, or is given up.
pub fn forget(note: &Element) {
    if let Some((_, field)) = field(note) {
        change(|all| all.forget(&field));
    }
}

/// Another field was opened instead, or none.
pub fn close() {
    if all().is_open() {
        change(Unfinished::close);
    }
}

/// The file was drawn anew: the field that was open in it is open again.
pub fn reopen(card: &Element) {
    let all = all();
    let Some((lines, id)) = all.open_in(&card.id()) else { return };
    if dom::find(card, ".writing-note").is_some() {
        return;
    }
    match (id, Lines::parse(lines)) {
        (Some(id), _) => notes::edit(card, id),
        (None, Some(lines)) => notes::write(card, &lines),
        (None, None) => {}
    }
}
