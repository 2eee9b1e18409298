//! Parts of every page that show all sessions: the list on the left, the title and the favicon. One tab loads them for
//! all tabs.

use super::{notice, tab};
use crate::{times, unread};
use app::browser::page_state::{page_state, whenever};
use app::browser::{dom, fragment};
use app::shared::attr;
use app::shared::rail;
use app::shared::tab_message::TabMessage;
use app::shared::{message_href, session_href};
use js_sys::{Function, Promise, Reflect};
use std::cell::{Cell, RefCell};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Element;

/// Milliseconds between a change and the list that shows it: what comes together is shown together.
const REFRESH: i32 = 400;
/// A session that works is lost without a word, so the list is asked for now and then while one does.
const LOOK: i32 = 15_000;

thread_local! {
    static DUE: Cell<bool> = const { Cell::new(false) };
    static SHOWN: RefCell<String> = const { RefCell::new(String::new()) };
    /// The session of this page.
    static OPEN: RefCell<Option<String>> = const { RefCell::new(None) };
    /// The title without what waits.
    static TITLE: RefCell<String> = const { RefCell::new(String::new()) };
    /// The heading that it was made with.
    static HEADING: RefCell<String> = const { RefCell::new(String::new()) };
    /// Requests that are known to wait, as `session/seq`.
    static WAITING: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    /// The badge of the app's icon.
    static SHOWN_BADGE: Cell<Option<usize>> = const { Cell::new(None) };
}

pub fn start(session: Option<String>) {
    let Some(drawn) = dom::by_id("rail") else { return };
    OPEN.set(session);
    WAITING.set(waiting(&drawn));
    let title = dom::document().map(|d| d.title()).unwrap_or_default();
    TITLE.set(rail::bare_title(&title).to_owned());
    HEADING.set(heading());
    mark();
    wasm_bindgen_futures::spawn_local(async {
        if let Some(answer) = unread::ask().await {
            unread::show(&answer);
        }
    });
    let changes = page_state().changes;
    whenever(&changes, soon);
    // The list of every page counts what the reader did.
    whenever(&page_state().edited, refresh);
    watch();
}

fn soon() {
    if !tab::leads() || DUE.replace(true) {
        return;
    }
    dom::after(REFRESH, || {
        DUE.set(false);
        refresh();
    });
}

fn watch() {
    dom::after(LOOK, || {
        let working = dom::by_id("rail").and_then(|rail| rail.get_attribute(attr::WORKING));
        if tab::leads() && working.is_some_and(|n| n != "0") {
            refresh();
        }
        watch();
    });
}

/// Asks for it now: this tab changed something.
pub fn refresh() {
    wasm_bindgen_futures::spawn_local(async {
        if let Ok(html) = fragment::fetch("/fragments/rail").await
            && SHOWN.with_borrow(|shown| *shown != html)
        {
            tab::broadcast(TabMessage::Rail(html));
        }
        if let Some(answer) = unread::ask().await.filter(|answer| *answer != unread::answer()) {
            tab::broadcast(TabMessage::Unread(answer));
        }
    });
}

/// For a tab that came back.
pub fn repeat() {
    let html = SHOWN.with_borrow(Clone::clone);
    if !html.is_empty() {
        tab::post_to_others(&TabMessage::Rail(html));
    }
    let answer = unread::answer();
    if !answer.is_empty() {
        tab::post_to_others(&TabMessage::Unread(answer));
    }
}

pub fn show(html: String) {
    let (Some(rail), Some(fresh)) = (dom::by_id("rail"), fragment::parse(&html).and_then(|h| h.first_element_child()))
    else {
        return;
    };
    SHOWN.set(html);
    sessions(&rail, fresh.get_attribute(attr::SESSIONS));
    // Nobody tells that a session works no more: its silence does, and other lists learn it here.
    if rail.get_attribute(attr::WORKING) != fresh.get_attribute(attr::WORKING) {
        page_state().changed(false);
    }
    for name in [attr::ASKS, attr::WORKING] {
        let _ = rail.set_attribute(name, &fresh.get_attribute(name).unwrap_or_default());
    }
    news(&fresh);
    if let Some(list) = dom::by_id("rail-recent") {
        fill(&list, &fresh);
        unread::draw();
        times::refresh();
    }
    badge();
    mark();
}

/// How many there are, beside the link to all of them.
pub fn sessions(rail: &Element, count: Option<String>) {
    if let (Some(place), Some(count)) = (dom::find(rail, "a[href$='/sessions'] > .num"), count) {
        place.set_text_content(Some(&count));
    }
}

/// The list with what is new in it. The focus stays on its session.
fn fill(list: &Element, fresh: &Element) {
    let focused = dom::focus_in(list);
    let focused = focused.and_then(|active| active.get_attribute("href"));
    let current = OPEN.with_borrow(|open| open.as_deref().map(|open| dom::at(&session_href(open))));
    let open = dom::find(list, "a[aria-current]").filter(|row| row.get_attribute("href") == current);
    list.replace_children_with_node_0();
    while let Some(part) = fresh.first_element_child() {
        let _ = list.append_child(&part);
    }
    // The open session, where it isn't one of the latest.
    let is_latest = dom::find_all(list, "a").iter().any(|link| link.get_attribute("href") == current);
    if let Some(open) = open.filter(|_| !is_latest) {
        let _ = list.insert_before(&open, dom::find(list, "a.all").as_deref());
    }
    for link in dom::find_all(list, "a") {
        let href = link.get_attribute("href");
        if href == current {
            let _ = link.set_attribute("aria-current", "page");
        }
        if href.is_some()
            && href == focused
            && let Some(link) = dom::html(&link)
        {
            let _ = link.focus();
        }
    }
}

fn waiting(drawn: &Element) -> Vec<String> {
    rail::waiting(&drawn.get_attribute(attr::ASKS).unwrap_or_default())
}

/// Says which requests wait since now, and which no longer do.
fn news(fresh: &Element) {
    let now = waiting(fresh);
    let before = WAITING.replace(now.clone());
    let open = OPEN.with_borrow(Clone::clone);
    for key in rail::fresh(&now, &before) {
        let Some((id, seq)) = key.rsplit_once('/') else { continue };
        let href = dom::at(&session_href(id));
        let row = dom::find_all(fresh, "a").into_iter().find(|link| link.get_attribute("href").as_ref() == Some(&href));
        let title = row.and_then(|row| row.get_attribute("title")).unwrap_or_else(|| "A session".to_owned());
        notice::needs_you(key, &message_href(id, seq), &title, open.as_deref() == Some(id));
    }
    for key in rail::fresh(&before, &now) {
        notice::answered(key);
    }
}

/// How many wait: in the rail, and in the tab bar of phones.
fn badge() {
    let count = WAITING.with_borrow(Vec::len);
    let Some(document) = dom::document() else { return };
    for place in [".rail a[href$='/inbox']", ".tabbar a[href$='/inbox']"] {
        let Ok(Some(link)) = document.query_selector(place) else { continue };
        match (dom::find(&link, ".badge"), count) {
            (Some(badge), 0) => badge.remove(),
            (Some(badge), n) => badge.set_text_content(Some(&n.to_string())),
            (None, 0) => {}
            (None, n) => {
                if let Some(badge) = dom::make("span", "badge needs") {
                    badge.set_text_content(Some(&n.to_string()));
                    let _ = link.append_child(&badge);
                }
            }
        }
    }
}

fn heading() -> String {
    let heading = dom::document().and_then(|d| d.query_selector(".bar-title h1").ok().flatten());
    heading.and_then(|heading| heading.text_content()).unwrap_or_default()
}

/// The session may have been given another name. While one is being typed there is no heading.
fn follow_heading(heading: String) {
    let before = HEADING.with_borrow(Clone::clone);
    if let Some(title) = TITLE.with_borrow(|title| rail::renamed(title, &before, &heading)) {
        TITLE.set(title);
        HEADING.set(heading);
    }
}

/// Title and favicon: what waits for the reader comes first, then how this page's session stands.
pub fn mark() {
    let (Some(document), Some(rail)) = (dom::document(), dom::by_id("rail")) else { return };
    let count = WAITING.with_borrow(Vec::len);
    follow_heading(heading());
    let title = TITLE.with_borrow(|bare| rail::title(bare, count));
    if document.title() != title {
        document.set_title(&title);
    }
    app_badge(count);
    let own = dom::by_id("session-state").and_then(|state| state.get_attribute(attr::STATE));
    let works = rail.get_attribute(attr::WORKING).is_some_and(|n| n != "0");
    let dot = rail::dot(count, own.as_deref(), works);
    let Some(link) = document.query_selector("link[rel=icon]").ok().flatten() else { return };
    let plain = link.get_attribute(attr::PLAIN).or_else(|| link.get_attribute("href")).unwrap_or_default();
    let href = match dot {
        Some(color) => icon(color),
        None => plain.clone(),
    };
    let _ = link.set_attribute(attr::PLAIN, &plain);
    if link.get_attribute("href").as_ref() != Some(&href) {
        let _ = link.set_attribute("href", &href);
    }
}

/// Shows the number on the icon of the installed app, in browsers that can. Zero removes it.
fn app_badge(count: usize) {
    if SHOWN_BADGE.replace(Some(count)) == Some(count) {
        return;
    }
    let Some(navigator) = dom::window().map(|w| w.navigator()) else { return };
    let set = Reflect::get(&navigator, &"setAppBadge".into()).ok().and_then(|set| set.dyn_into::<Function>().ok());
    let asked = set.and_then(|set| set.call1(&navigator, &JsValue::from_f64(count as f64)).ok());
    if let Some(asked) = asked.and_then(|asked| asked.dyn_into::<Promise>().ok()) {
        wasm_bindgen_futures::spawn_local(async move {
            // An app that isn't installed has no icon.
            let _ = JsFuture::from(asked).await;
        });
    }
}

/// The mark of `app/assets/icon.svg` with a dot.
fn icon(color: &str) -> String {
    let color = color.replace('#', "%23");
    format!(
        "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='%234493f8' \
         stroke-width='1.5' stroke-linecap='round'><rect x='1.5' y='1.5' width='13' height='13' rx='3.5'/>\
         <path d='M5.7 5.5v4.2M8 5.5v5.2M10.3 5.5v2.5'/><circle cx='12' cy='12' r='3.6' fill='{color}' stroke='white'/></svg>"
    )
}
