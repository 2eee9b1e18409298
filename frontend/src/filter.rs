//! The chips above a transcript that filter it: shown and hidden here, and drawn anew as the session goes on. What a
//! chip does is to open the page with another filter; `actions` does that.

use crate::swap::swap;
use app::browser::{dom, fragment, storage, toast};
use app::shared::attr;
use app::shared::fragments_href;
use app::shared::latest::Latest;
use app::shared::page_action::PageAction;
use std::cell::RefCell;
use web_sys::Element;

/// The chip that was pressed: it has the focus on the next page.
const PRESSED: &str = "verbatim-filter-chip";

thread_local! {
    static ASKED: Latest = const { Latest::new() };
    static SHOWN: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Gives the focus to the chip that led to this page.
pub fn start() {
    let Some(bar) = dom::by_id("filter") else { return };
    let Some(pressed) = storage::get(PRESSED) else { return };
    storage::set(PRESSED, None);
    let chip = chips(&bar).into_iter().find(|chip| name(chip) == pressed);
    if let Some(chip) = chip.as_ref().and_then(dom::html) {
        let _ = chip.focus();
    }
}

/// Remembers which chip is pressed.
pub fn press(chip: &Element) {
    storage::set(PRESSED, Some(&name(chip)));
}

fn chips(bar: &Element) -> Vec<Element> {
    dom::find_all(bar, &PageAction::SetFilter.selector())
}

/// Returns the name of a chip, without its counts.
fn name(chip: &Element) -> String {
    chip.get_attribute(attr::NAME).unwrap_or_default()
}

/// Shows the chips of a session, or hides them where nothing is filtered by them.
pub fn toggle(session: &str) {
    let Some(bar) = dom::by_id("filter") else { return };
    if bar.has_attribute("hidden") {
        let _ = bar.remove_attribute("hidden");
        dom::replace_parameter("filter", Some("1"));
        draw(session, true);
    } else if dom::parameter("type").is_none() && dom::parameter("role").is_none() {
        let _ = bar.set_attribute("hidden", "");
        dom::replace_parameter("filter", None);
    } else {
        focus(&bar);
    }
}

fn focus(bar: &Element) {
    if let Some(chip) = chips(bar).first().and_then(dom::html) {
        let _ = chip.focus();
    }
}

/// The session went on: the chips count anew, where they are shown.
pub fn follow(session: &str) {
    if dom::by_id("filter").is_some_and(|bar| !bar.has_attribute("hidden")) {
        draw(session, false);
    }
}

fn draw(session: &str, opened: bool) {
    let path = format!("{}/filter?{}", fragments_href(session), dom::query());
    let turn = ASKED.with(Latest::begin);
    wasm_bindgen_futures::spawn_local(async move {
        let html = match fragment::fetch(&path).await {
            Ok(html) => html,
            Err(problem) if opened => return toast::fail(&problem),
            Err(_) => return,
        };
        if !ASKED.with(|asked| asked.is(turn)) {
            return;
        }
        let (Some(bar), Some(fresh)) = (dom::by_id("filter"), fragment::parse(&html)) else { return };
        if SHOWN.with_borrow(|shown| *shown != html) {
            let held = dom::focus_in(&bar).map(|chip| name(&chip)).filter(|name| !name.is_empty());
            swap(&bar, &fresh);
            let held = held.and_then(|held| chips(&bar).into_iter().find(|chip| name(chip) == held));
            if let Some(chip) = held.as_ref().and_then(dom::html) {
                let _ = chip.focus();
            }
            SHOWN.set(html);
        }
        if opened {
            focus(&bar);
        }
    });
}
