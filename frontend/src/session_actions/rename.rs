//! A new title, typed where the old one stands. An empty one gives the agent's own title back.

use super::Request;
use crate::toasts;
use api::contract::EditSessionEndpoint;
use api::{Method, Problem, Route as _};
use app::browser::page_state::page_state;
use app::browser::toast::{self, Then, Undo};
use app::browser::{dom, focus, fragment};
use app::shared::attr;
use serde_json::{Value, json};
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlInputElement, KeyboardEvent};

const FORM: &str = "form.rename";

thread_local! {
    /// The element that had the focus before the field.
    static BEFORE: RefCell<Option<Element>> = const { RefCell::new(None) };
}

/// Listens to events of the title's form.
fn listen(form: &Element) {
    let sent = form.clone();
    dom::listen(form, "submit", move |event: Event| {
        event.prevent_default();
        send(&sent);
    });
    let left = form.clone();
    dom::listen(form, "keydown", move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            end(&left);
        }
    });
    let done = form.clone();
    dom::listen(form, "focusout", move |_: Event| end(&done));
}

/// Is somebody typing a title? The list waits.
pub fn busy() -> bool {
    dom::document().and_then(|d| d.query_selector(FORM).ok().flatten()).is_some()
}

/// The title of a row of the list, or of the page's header.
fn title_of(session: &str) -> Option<Element> {
    let row = dom::by_id("sessions")
        .map(|list| dom::find_all(&list, ".srow[data-row]"))
        .into_iter()
        .flatten()
        .find(|row| row.get_attribute(attr::ROW).as_deref() == Some(session));
    match row {
        Some(row) => dom::find(&row, ".title > a"),
        None => dom::find(&dom::by_id("session-head")?.parent_element()?, "h1"),
    }
}

/// The title as it is kept, which is more than what is shown of it.
fn whole(title: &Element) -> String {
    title
        .get_attribute(attr::TITLE)
        .or_else(|| title.get_attribute("title"))
        .or_else(|| title.text_content())
        .unwrap_or_default()
}

fn put(title: &Element, words: &str) {
    title.set_text_content(Some(words));
    for name in ["title", attr::TITLE] {
        let _ = title.set_attribute(name, words);
    }
}

pub fn begin(session: &str) {
    let _ = form(session);
}

fn form(session: &str) -> Option<()> {
    let title = title_of(session)?;
    let form = dom::make("form", "rename")?;
    let _ = form.set_attribute(attr::SESSION, session);
    let field = dom::make("input", "")?.dyn_into::<HtmlInputElement>().ok()?;
    field.set_value(&whole(&title));
    let _ = field.set_attribute("aria-label", "Title");
    let _ = field.set_attribute("dir", "auto");
    let _ = field.set_attribute("maxlength", "2000");
    let _ = form.append_child(&field);
    listen(&form);
    let holder = title.parent_element()?;
    let _ = holder.class_list().add_1("renaming");
    holder.insert_before(&form, Some(&title)).ok()?;
    BEFORE.set(dom::active());
    let _ = field.focus();
    // All of it, with its beginning in view.
    let length = u32::try_from(field.value().encode_utf16().count()).unwrap_or(u32::MAX);
    let _ = field.set_selection_range_with_direction(0, length, "backward");
    field.set_scroll_left(0);
    Some(())
}

fn end(form: &Element) {
    // A field that goes loses its focus, which ends it again.
    if !form.toggle_attribute(attr::ENDED).unwrap_or(false) {
        return;
    }
    if let Some(holder) = form.parent_element() {
        let _ = holder.class_list().remove_1("renaming");
        let row = holder.closest(".srow").ok().flatten();
        let link = row.and_then(|_| dom::find(&holder, "a"));
        form.remove();
        // In the list the row goes on; on a session's page what had the focus before.
        if let Some(place) = link.or(BEFORE.take()) {
            focus::put(&place);
        }
    }
}

fn send(form: &Element) {
    let Some(session) = form.get_attribute(attr::SESSION) else { return };
    let field = dom::find(form, "input").and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
    let title = field.map(|field| field.value()).unwrap_or_default();
    let shown = title_of(&session);
    let before = shown.as_ref().map(whole).unwrap_or_default();
    if let Some(shown) = shown.filter(|_| !title.trim().is_empty()) {
        put(&shown, &title);
    }
    end(form);
    if title != before {
        super::send(Request::Rename { session, title, before });
    }
}

pub(super) async fn save(session: String, title: String, before: String) {
    let path = EditSessionEndpoint.path([&session]);
    match set(path.clone(), &title).await {
        Ok(_) => {
            let undo = Undo { method: Method::Patch, path, body: json!({ "title": before }) };
            toasts::keep("Renamed", &undo);
            toast::show("Renamed", Then::Undo(undo));
        }
        Err(problem) => {
            if let Some(shown) = title_of(&session) {
                put(&shown, &before);
            }
            toast::fail(&problem);
        }
    }
    page_state().edited();
}

async fn set(path: String, title: &str) -> Result<Value, Problem> {
    fragment::send(Method::Patch, path, json!({ "title": title })).await
}

/// Takes a new title back. Where the one before was the agent's, it is the agent's again.
pub(super) async fn restore_title(path: String, title: String, words: String) {
    let own = set(path.clone(), "").await;
    let title_of_answer = |answer: &Value| answer["session"]["title"].as_str() == Some(&title);
    let done = if own.as_ref().is_ok_and(title_of_answer) { own } else { set(path, &title).await };
    match done {
        Ok(answer) => {
            if let Some(shown) = answer["session"]["id"].as_str().and_then(title_of) {
                shown.set_text_content(Some(&title));
            }
            toast::show(&words, Then::Nothing);
        }
        Err(problem) => toast::fail(&problem),
    }
    page_state().edited();
}
