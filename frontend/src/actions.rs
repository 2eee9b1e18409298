//! Buttons with `data-action` that mean the same everywhere: copy, link, the shortcut sheet. One listener for all of
//! them.

use crate::{cursor, filter, message_text, palette, session_actions, transcript};
use api::Route as _;
use api::contract::LogOut;
use app::browser::dispatch::{UiAction, enqueue};
use app::browser::{clipboard, dom, editor, fragment, storage, toast};
use app::look::theme_words;
use app::shared::attr;
use app::shared::page_action::PageAction;
use app::shared::page_path;
use app::shared::{context_href, message_href, session_href};
use leptos::prelude::lazy;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, HtmlDialogElement, HtmlTemplateElement, MouseEvent};

pub fn start() {
    let Some(document) = dom::document() else { return };
    dom::listen(&document, "click", |event: MouseEvent| {
        let Some((action, button)) = dom::action(&event) else { return };
        match action {
            PageAction::Copy => copy(button),
            PageAction::CopyLink => link(button),
            PageAction::CopyViewLink => link_view(button),
            PageAction::OpenPalette => palette::open(),
            PageAction::Find => find(&event, &button),
            PageAction::SetLevel | PageAction::SetFilter | PageAction::ToggleFilter
                if event.ctrl_key() || event.meta_key() || event.shift_key() => {}
            PageAction::SetLevel | PageAction::SetFilter | PageAction::ToggleFilter => {
                event.prevent_default();
                enqueue(UiAction::Button(action, button));
            }
            PageAction::ShowKeys
            | PageAction::PauseOutput
            | PageAction::TurnTheme
            | PageAction::LogOut
            | PageAction::OpenInEditor => enqueue(UiAction::Button(action, button)),
            action if session_actions::is_one(action) => enqueue(UiAction::Button(action, button)),
            _ => {}
        }
    });
}

/// Does what a button says, as far as that needn't be done at once.
pub fn act(action: PageAction, button: &Element) {
    match action {
        PageAction::ShowKeys => show_keys(),
        PageAction::PauseOutput => drop(transcript::pause()),
        PageAction::SetLevel => level(button),
        PageAction::SetFilter => set_filter(button),
        PageAction::ToggleFilter => {
            session_actions::close_menu(button);
            if let Some(session) = transcript::session() {
                filter::toggle(&session);
            }
        }
        PageAction::TurnTheme => turn_theme(button),
        PageAction::LogOut => ask_to_log_out(),
        PageAction::OpenInEditor => drop(edit(button)),
        _ => {}
    }
}

/// The menu that it was chosen from closes first: it gives the focus back to its button.
fn find(event: &MouseEvent, button: &Element) {
    if !transcript::is_here() {
        return;
    }
    session_actions::close_menu(button);
    if transcript::open_find() {
        event.prevent_default();
    }
}

pub fn show_keys() {
    let dialog = dom::by_id("keys").and_then(|d| d.dyn_into::<HtmlDialogElement>().ok());
    if let Some(dialog) = dialog.filter(|dialog| !dialog.open()) {
        let template = dom::find(&dialog, "template").and_then(|it| it.dyn_into::<HtmlTemplateElement>().ok());
        if let Some(template) = template {
            let _ = template.replace_with_with_node_1(&template.content());
        }
        let _ = dialog.show_modal();
    }
}

/// A text of its own, the code beside the button, or the message's markdown as the server holds it.
fn copy(button: Element) {
    let own = button.get_attribute(attr::TEXT);
    let code = || {
        let block = button.closest(".codeblock").ok().flatten()?;
        dom::find(&block, "pre")?.text_content()
    };
    if let Some(text) = own.or_else(code) {
        clipboard::copy(button, text);
        return;
    }
    if let Some(from) = button.get_attribute(attr::FROM) {
        wasm_bindgen_futures::spawn_local(async move {
            match fragment::client().get_bytes(&from).await {
                Ok(text) => clipboard::copy(button, String::from_utf8_lossy(&text).into_owned()),
                Err(problem) => clipboard::say(button, "Not copied", &problem.title),
            }
        });
        return;
    }
    let message = button.closest("article[data-id]").ok().flatten().and_then(|article| article.get_attribute(attr::ID));
    let (Some(message), Some(session)) = (message, transcript::session_of(&button)) else { return };
    wasm_bindgen_futures::spawn_local(async move {
        match message_text::read(&session, &message).await {
            Ok(message) => clipboard::copy(button, message.content),
            Err(problem) => clipboard::say(button, "Not copied", &problem.title),
        }
    });
}

/// The address that opens at this message.
fn link(button: Element) {
    let article = button.closest("article[data-seq]").ok().flatten();
    let Some(location) = dom::window().map(|w| w.location()) else { return };
    let seq = article.and_then(|article| article.get_attribute(attr::SEQ)?.parse::<i64>().ok());
    let path = match (transcript::session_of(&button), seq) {
        (Some(session), Some(seq)) => dom::at(&message_href(&session, seq)),
        (Some(session), None) => dom::at(&session_href(&session)),
        (None, _) => location.pathname().unwrap_or_default(),
    };
    clipboard::copy(button, format!("{}{path}", location.origin().unwrap_or_default()));
}

/// The address of what the page shows, with all its filters.
fn link_view(button: Element) {
    if let Some(address) = dom::window().and_then(|w| w.location().href().ok()) {
        clipboard::copy(button, address);
    }
}

/// Looked at in another way, the page stays where it is: at its row, with its panel.
fn level(link: &Element) {
    let own = link.get_attribute("href").unwrap_or_default();
    let (path, own) = own.split_once('?').unwrap_or((&own, ""));
    let parameters = web_sys::UrlSearchParams::new_with_str(&dom::query());
    let (Ok(all), Some((name, value))) = (parameters, own.split_once('=')) else { return };
    // A link for readers without a script says the rest too, which the address has.
    let value = value.split('&').next().unwrap_or(value);
    all.set(name, value);
    // A choice here is a preference; one from a link applies to its page only.
    if name == "view" {
        dom::set_cookie(name, value);
    }
    match transcript::here() {
        Some(seq) => all.set("at", &seq.to_string()),
        None => all.delete("at"),
    }
    dom::go_to(&format!("{path}?{}", String::from(all.to_string())));
}

/// With another filter the page opens with its panel, and without any at the row where it was.
fn set_filter(link: &Element) {
    let own = link.get_attribute("href").unwrap_or_default();
    let (path, own) = own.split_once('?').unwrap_or((&own, ""));
    let parameters = |query: &str| web_sys::UrlSearchParams::new_with_str(query);
    let (Ok(all), Ok(own)) = (parameters(&dom::query()), parameters(own)) else { return };
    for name in ["type", "role", "filter"] {
        match own.get(name) {
            Some(value) => all.set(name, &value),
            None => all.delete(name),
        }
    }
    match transcript::here().filter(|_| own.get("filter").is_some()) {
        Some(seq) => all.set("at", &seq.to_string()),
        None => all.delete("at"),
    }
    filter::press(link);
    dom::go_to(&format!("{path}?{}", String::from(all.to_string())));
}

/// Goes round: system, light, dark.
fn turn_theme(button: &Element) {
    let root = dom::document().and_then(|d| d.document_element());
    let next = match root.and_then(|root| root.get_attribute(attr::THEME)).as_deref() {
        Some("system") => "light",
        Some("light") => "dark",
        _ => "system",
    };
    dom::set_look("theme", next);
    let words = theme_words(next);
    let _ = button.set_attribute("title", &words);
    if let Some(said) = button.last_element_child() {
        said.set_text_content(Some(&words));
    }
}

/// The file that the current card is about.
pub fn open_in_editor() -> bool {
    cursor::current().and_then(|card| dom::find(&card, "[data-path], .path[title]")).is_some_and(|path| edit(&path))
}

/// Opens the context of the current message. False where no message is current.
pub fn show_context() -> bool {
    let row = cursor::current().filter(|row| row.has_attribute(attr::SEQ));
    let seq = row.as_ref().and_then(|row| row.get_attribute(attr::SEQ)?.parse().ok());
    let Some((session, seq)) = row.and_then(|row| transcript::session_of(&row)).zip(seq) else { return false };
    dom::go_to(&context_href(&session, seq));
    true
}

/// The line of a card's difference in which the selection begins.
fn selected_line(place: &Element) -> Option<String> {
    let selection = dom::window()?.get_selection().ok().flatten().filter(|selection| !selection.is_collapsed())?;
    let node = selection.get_range_at(0).ok()?.start_container().ok()?;
    let element = node.dyn_ref::<Element>().cloned().or_else(|| node.parent_element())?;
    let line = element.closest(".diff:not(.plain) .l").ok().flatten()?;
    let card = place.closest(".card").ok().flatten()?;
    card.contains(Some(&line)).then(|| dom::line_number(&line))?.map(|(_, number)| number.to_string())
}

/// Opens the path that an element names, at the line that is selected or that it names.
fn edit(place: &Element) -> bool {
    let path = place.get_attribute(attr::PATH).or_else(|| place.get_attribute("title"));
    let line = selected_line(place).or_else(|| place.get_attribute(attr::LINE));
    path.is_some_and(|path| editor::open(&path, line))
}

/// Asks first where something would be lost: the settings have the question.
pub fn ask_to_log_out() {
    if !storage::has_unsent() {
        return wasm_bindgen_futures::spawn_local(log_out());
    }
    let dialog = dom::by_id("log-out").and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok());
    let Some(dialog) = dialog else { return dom::go_to(page_path::SETTINGS) };
    let asked = dialog.clone();
    let closed = Closure::once_into_js(move || {
        if asked.return_value() == "log-out" {
            wasm_bindgen_futures::spawn_local(log_out());
        }
    });
    dialog.set_onclose(closed.dyn_ref());
    dialog.set_return_value("");
    let _ = dialog.show_modal();
}

#[lazy]
async fn log_out() {
    match fragment::send(api::Method::Post, LogOut.path([]), serde_json::Value::Null).await {
        Ok(_) => {
            storage::forget_reader();
            dom::go_to(page_path::LOG_IN);
        }
        Err(problem) => toast::fail(&problem),
    }
}
