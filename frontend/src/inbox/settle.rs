//! A request that waits no longer: its row says what became of it, and who decided.

use super::{key, reply};
use crate::{times, unsent};
use app::browser::{dom, focus, fragment};
use app::shared::attr;
use app::shared::fragments_href;
use web_sys::Element;

/// Why a request whose message still asks is gone from the list.
const PUT_AWAY: &str = "Its session was archived or deleted";

/// Status of a message that no longer exists.
const GONE: u16 = 404;

/// Draws a row as decided.
pub fn settle(row: &Element) {
    let _ = row.set_attribute(attr::SETTLED, "");
    let (row, key) = (row.clone(), key(row).unwrap_or_default());
    wasm_bindgen_futures::spawn_local(async move {
        let Some((session, seq)) = key.rsplit_once('/') else { return };
        let path = format!("{}/messages/{seq}", fragments_href(session));
        match fragment::fetch(&path).await {
            Ok(html) => draw(&row, fragment::parse(&html).and_then(|html| html.first_element_child())),
            Err(problem) if problem.status == GONE => draw(&row, None),
            // It is found again with the next list.
            Err(_) => drop(row.remove_attribute(attr::SETTLED)),
        }
    });
}

/// Replaces the form by its result, without moving anything else: no other request must come under a pointer that is
/// about to press.
fn draw(row: &Element, fresh: Option<Element>) {
    let Some(outcome) = dom::make("div", "outcome") else { return };
    let had_focus = dom::focus_in(row).is_some();
    hold_height(row);
    let words = match &fresh {
        None => Some(PUT_AWAY),
        Some(fresh) if dom::find(fresh, "form[data-decide]").is_some() => Some(PUT_AWAY),
        Some(_) if reply::is_sent(row) => Some("Answered by you"),
        Some(fresh) if fresh.has_attribute(attr::QUESTION) => Some("Answered elsewhere, or no longer open"),
        Some(_) => None,
    };
    let closed = fresh.as_ref().and_then(|fresh| dom::find(fresh, ".closed")?.text_content());
    let words = closed.or_else(|| words.map(str::to_owned));
    if let Some(fresh) = &fresh {
        unsent::keep(row, fresh);
    }
    reply::rescue(row);
    if let Some(words) = words {
        if let Some(line) = dom::make("p", "line") {
            line.set_text_content(Some(&words));
            let _ = outcome.append_child(&line);
        }
    } else if let Some(fresh) = fresh {
        // Show who decided, even if space is limited.
        for part in dom::find_all(&fresh, ".hide-narrow") {
            let _ = part.class_list().remove_1("hide-narrow");
        }
        while let Some(part) = fresh.first_element_child() {
            let _ = outcome.append_child(&part);
        }
    }
    for form in dom::find_all(row, "form.dismiss") {
        form.remove();
    }
    let said = dom::find(&outcome, ".line, summary, .refusal > .cap").unwrap_or_else(|| outcome.clone());
    dom::announce(&said.text_content().unwrap_or_default());
    if let Some(card) = dom::find(row, ".approval") {
        let _ = card.set_attribute(attr::STATE, "idle");
    }
    let _ = match dom::find(row, "form.answer, form.reply, .note-line") {
        Some(form) => form.replace_with_with_node_1(&outcome),
        None => row.append_child(&outcome).map(drop),
    };
    if had_focus {
        focus::put(row);
    }
    times::refresh();
}

fn hold_height(row: &Element) {
    if let Some(element) = dom::html(row) {
        let height = row.get_bounding_client_rect().height();
        let _ = element.style().set_property("min-height", &format!("{height}px"));
    }
}
