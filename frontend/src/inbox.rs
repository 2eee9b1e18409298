//! The inbox: its rows follow the event stream. What comes new is put behind what is read already; what is decided
//! elsewhere says by whom and stays until the page is left. The focus, and the row before the reader's eyes, stay where
//! they are.

mod anchor;
mod reply;
mod settle;

use crate::{desktop, times, unsent};
use anchor::Anchor;
use app::browser::page_state::{page_state, whenever};
use app::browser::{dom, focus, fragment, toast};
use app::shared::attr;
use app::shared::events::Link;
use app::shared::page_action::PageAction;
use leptos::prelude::lazy;
use std::cell::{Cell, RefCell};
use web_sys::{Element, MouseEvent};

/// Milliseconds between two requests for the list.
const PAUSE: i32 = 250;
/// Milliseconds until the list is requested again, after it couldn't be had.
const RETRY: i32 = 3_000;

thread_local! {
    /// How many rows are asked for; empty for as many as the page begins with.
    static LIMIT: RefCell<String> = const { RefCell::new(String::new()) };
    static IS_BUSY: Cell<bool> = const { Cell::new(false) };
    /// Something changed since the list was requested.
    static AGAIN: Cell<bool> = const { Cell::new(false) };
    /// The reader asked for more rows: the first of them gets the focus.
    static WANTS_MORE: Cell<bool> = const { Cell::new(false) };
}

/// Listens to the inbox.
#[lazy]
pub async fn inbox() {
    start();
}

fn start() {
    LIMIT.set(dom::parameter("limit").unwrap_or_default());
    let state = page_state();
    whenever(&state.changes, refresh);
    whenever(&state.edited, refresh);
    let (link, was_lost) = (state.link, Cell::new(false));
    link.clone().follow(move || match link.get() {
        Link::Reconnecting(_) | Link::Offline => was_lost.set(true),
        Link::Live if was_lost.take() => refresh(),
        Link::Connecting | Link::Replaying(_) | Link::Live => {}
    });
    reply::start();
    show_notify();
    let Some(main) = dom::by_id("main") else { return };
    dom::listen(&main, "click", |event: MouseEvent| match dom::action(&event) {
        Some((PageAction::MoreAsks, link)) if !event.ctrl_key() && !event.meta_key() && !event.shift_key() => {
            event.prevent_default();
            let limit = link.get_attribute(attr::LIMIT).unwrap_or_default();
            dom::replace_parameter("limit", Some(&limit));
            LIMIT.set(limit);
            WANTS_MORE.set(true);
            refresh();
        }
        Some((PageAction::Notify, _)) => wasm_bindgen_futures::spawn_local(turn_notifications()),
        _ => {}
    });
}

/// The button as this device has it.
fn show_notify() {
    let Some(button) = dom::by_id("notify") else { return };
    let state = desktop::state();
    let is_on = state == desktop::State::On;
    button.set_text_content(Some(if is_on { "Notifications on" } else { "Notify me" }));
    let _ = button.set_attribute("aria-pressed", if is_on { "true" } else { "false" });
    let title = if is_on { "Switch notifications off" } else { "Show a notification when something needs you" };
    let _ = button.set_attribute("title", title);
    let _ = button.toggle_attribute_with_force("hidden", state == desktop::State::Impossible);
}

async fn turn_notifications() {
    let wants = desktop::state() != desktop::State::On;
    let state = desktop::turn(wants).await;
    show_notify();
    if wants && state == desktop::State::Refused {
        let words = "The browser refuses notifications of this site: allow them in its settings";
        toast::show(words, toast::Then::Failed);
    }
}

/// Requests the list; what changes meanwhile is requested after it.
fn refresh() {
    if IS_BUSY.replace(true) {
        AGAIN.set(true);
        return;
    }
    wasm_bindgen_futures::spawn_local(async {
        let came = load().await;
        // Without a server the list is requested when it is back.
        let pause = if came || !page_state().is_live() { PAUSE } else { RETRY };
        dom::after(pause, move || {
            IS_BUSY.set(false);
            if AGAIN.take() || (!came && page_state().is_live()) {
                refresh();
            }
        });
    });
}

/// Fetches the list and shows it. Returns true if it came.
async fn load() -> bool {
    let Some(list) = dom::by_id("asks") else { return true };
    let known: Vec<_> = rows(&list).iter().filter_map(|row| row.get_attribute(attr::SIGN)).collect();
    let limit = LIMIT.with_borrow(|limit| if limit.is_empty() { String::new() } else { format!("&limit={limit}") });
    match fragment::fetch(&format!("/fragments/inbox?known={}{limit}", known.join(","))).await {
        Ok(html) => {
            if let Some(fresh) = fragment::parse(&html) {
                take(&list, &fresh);
            }
            true
        }
        Err(_) => false,
    }
}

/// The rows that still wait, as far as the page knows.
fn rows(list: &Element) -> Vec<Element> {
    dom::find_all(list, ":scope > [data-ask]:not([data-settled])")
}

fn key(row: &Element) -> Option<String> {
    row.get_attribute(attr::ASK)
}

/// Brings the page to what the server says. Rows that are known come without content.
fn take(list: &Element, fresh: &Element) {
    let Some(came) = dom::find(fresh, "#asks") else { return };
    let wanted = dom::find_all(&came, ":scope > [data-ask]");
    let open = came.get_attribute(attr::OPEN).unwrap_or_default();
    let anchor = Anchor::of(list);
    let known = rows(list);
    let mut last: Option<Element> = None;
    let mut first_new = None;
    for new in &wanted {
        let old = known.iter().find(|old| key(old) == key(new));
        let placed = match old {
            Some(old) if old.get_attribute(attr::SIGN) == new.get_attribute(attr::SIGN) => old,
            Some(old) => {
                replace(list, old, new);
                new
            }
            None => {
                let before = match &last {
                    Some(last) => last.next_element_sibling(),
                    None => known.first().cloned(),
                };
                let _ = list.insert_before(new, before.as_deref());
                first_new.get_or_insert_with(|| new.clone());
                new
            }
        };
        last = Some(placed.clone());
    }
    for gone in known.iter().filter(|old| !wanted.iter().any(|new| key(new) == key(old))) {
        // An open request may only be further down than the loaded rows.
        let is_open = key(gone).is_some_and(|key| open.split(' ').any(|other| other == key));
        if !gone.has_attribute(attr::SESSION) {
            gone.remove();
        } else if !is_open {
            settle::settle(gone);
        }
    }
    for id in ["asks-count", "asks-below"] {
        if let (Some(old), Some(new)) = (dom::by_id(id), dom::find(fresh, &format!("#{id}")))
            && !old.is_equal_node(Some(&new))
        {
            let _ = old.replace_with_with_node_1(&new);
        }
    }
    if let Some(first) = first_new.filter(|_| WANTS_MORE.take()) {
        focus::put(&first);
    }
    anchor.restore(list);
    times::refresh();
}

/// A request changed. What was typed into it, and the focus, stay.
fn replace(list: &Element, old: &Element, new: &Element) {
    unsent::keep(old, new);
    reply::keep(old, new);
    let (focused, held) = (dom::focus_in(old), focus::held(old));
    let _ = new.toggle_attribute_with_force(attr::CURRENT, old.has_attribute(attr::CURRENT));
    let _ = new.set_attribute(attr::CHANGED, "");
    let _ = list.replace_child(new, old);
    if focused.is_some() && !held.is_some_and(|held| held.give_back(new)) {
        focus::put(new);
    }
}
