//! The palette: sessions, commands and files by a few letters. The server finds and draws; here are the keys.

use crate::dispatch::{UiAction, enqueue};
use crate::{changes, targets, transcript};
use app::browser::{dom, fragment, toast};
use app::shared::attr;
use app::shared::keymap;
use app::shared::latest::{Latest, Turn};
use app::shared::words::rotated;
use std::cell::{Cell, RefCell};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlDialogElement, HtmlInputElement, KeyboardEvent, MouseEvent};

thread_local! {
    static ASKED: Latest = const { Latest::new() };
    /// The list for an empty query, cached so that it is shown at once.
    static RECENT: RefCell<String> = const { RefCell::new(String::new()) };
    /// The latest request that the list shows the answer to.
    static SHOWN: Cell<Option<Turn>> = const { Cell::new(None) };
    /// Commands that what had the focus before makes possible.
    static POSSIBLE: RefCell<String> = const { RefCell::new(String::new()) };
    /// It was opened before.
    static HEARS: Cell<bool> = const { Cell::new(false) };
    /// Enter was pressed before the answer came.
    static CHOOSES: Cell<bool> = const { Cell::new(false) };
}

fn listen(dialog: &HtmlDialogElement, field: &HtmlInputElement) {
    if HEARS.replace(true) {
        return;
    }
    dom::listen(field, "input", |_: Event| look());
    dom::listen(dialog, "keydown", |event: KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowDown" => 1,
            "ArrowUp" => -1,
            "Enter" => {
                event.prevent_default();
                // The shown list may be of an earlier query.
                return if SHOWN.get() == Some(ASKED.with(Latest::current)) {
                    choose(active());
                } else {
                    CHOOSES.set(true);
                };
            }
            _ => return,
        };
        event.prevent_default();
        walk(step);
    });
    // However it closes, as by Escape: what was typed is no choice any more.
    dom::listen(dialog, "close", |_: Event| CHOOSES.set(false));
    dom::listen(dialog, "click", |event: MouseEvent| {
        if let Some(option) = dom::closest(&event, "[role=option]") {
            event.prevent_default();
            choose(Some(option));
        } else if dom::closest(&event, ".palette > *").is_none() {
            close();
        }
    });
}

fn dialog() -> Option<HtmlDialogElement> {
    dom::by_id("palette")?.dyn_into().ok()
}

fn field() -> Option<HtmlInputElement> {
    dom::by_id("palette-field")?.dyn_into().ok()
}

pub fn open() {
    let (Some(dialog), Some(field), Some(list)) = (dialog(), field(), dom::by_id("palette-list")) else { return };
    if dialog.open() {
        return;
    }
    POSSIBLE.set(targets::possible());
    field.set_value("");
    RECENT.with_borrow(|html| fragment::fill(&list, html));
    let _ = dialog.show_modal();
    let _ = field.focus();
    enqueue(UiAction::OpenedPalette);
}

/// Starts to listen and shows the list. Text may have been typed already.
pub fn opened() {
    let (Some(dialog), Some(field)) = (dialog(), field()) else { return };
    listen(&dialog, &field);
    first();
    look();
}

fn close() {
    if let Some(dialog) = dialog() {
        dialog.close();
    }
}

/// Asks for what the field says.
fn look() {
    let Some(field) = field() else { return };
    let words = field.value();
    let turn = ASKED.with(Latest::begin);
    CHOOSES.set(false);
    let mut path = format!("/fragments/palette?q={}", api::endpoint::segment(&words));
    if let Some(session) = transcript::session() {
        path = format!("{path}&session={}", api::endpoint::segment(&session));
    }
    if changes::is_here() {
        path.push_str("&changes=1");
    }
    path = format!("{path}&can={}", POSSIBLE.with_borrow(Clone::clone));
    wasm_bindgen_futures::spawn_local(async move {
        let answer = fragment::fetch(&path).await;
        let Some(list) = dom::by_id("palette-list").filter(|_| ASKED.with(|asked| asked.is(turn))) else { return };
        SHOWN.set(Some(turn));
        let html = match answer {
            Ok(html) => html,
            Err(problem) => {
                CHOOSES.set(false);
                list.set_text_content(None);
                return toast::fail(&problem);
            }
        };
        fragment::fill(&list, &html);
        if words.is_empty() {
            RECENT.set(html);
        }
        first();
        if CHOOSES.take() {
            choose(active());
        }
    });
}

fn options() -> Vec<Element> {
    dom::by_id("palette-list").map(|list| dom::find_all(&list, "[role=option]")).unwrap_or_default()
}

fn active() -> Option<Element> {
    dom::find(&dom::by_id("palette-list")?, "[aria-selected=true]")
}

fn first() {
    mark(options().first());
}

fn mark(option: Option<&Element>) {
    if let Some(before) = active() {
        let _ = before.set_attribute("aria-selected", "false");
    }
    let Some(field) = field() else { return };
    match option {
        Some(option) => {
            let _ = option.set_attribute("aria-selected", "true");
            let _ = field.set_attribute("aria-activedescendant", &option.id());
            let nearest = web_sys::ScrollIntoViewOptions::new();
            nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
            option.scroll_into_view_with_scroll_into_view_options(&nearest);
        }
        None => {
            let _ = field.remove_attribute("aria-activedescendant");
        }
    }
}

/// Round and round.
fn walk(step: i32) {
    let options = options();
    let at = options.iter().position(|option| Some(option) == active().as_ref());
    if let Some(next) = rotated(at, step, options.len()) {
        mark(options.get(next));
    }
}

fn choose(option: Option<Element>) {
    let Some(option) = option else { return };
    close();
    if let Some(command) = option.get_attribute(attr::COMMAND) {
        if let Some(entry) = keymap::find(&command) {
            enqueue(UiAction::Command(entry.command));
        }
    } else if let Some(look) = option.get_attribute(attr::LOOK) {
        if let Some((name, value)) = look.split_once('=') {
            dom::set_look(name, value);
        }
    } else if let Some(address) = option.get_attribute(attr::HREF) {
        dom::go_to(&address);
    }
}
