//! A look at what the agent of a session said last, from the list: below its row, and away again with the same key.

use crate::cursor;
use app::browser::{dom, fragment, toast};
use app::shared::attr;
use app::shared::fragments_href;
use leptos::prelude::lazy;
use web_sys::Element;

/// A row in which the agent speaks.
const SAID: &str = "[data-role=assistant][data-type=TEXT]:has(> .prose)";

/// Returns true if a row of the list is the current one.
pub fn can_peek() -> bool {
    current().is_some()
}

fn current() -> Option<(Element, Element)> {
    dom::by_id("sessions").zip(cursor::current()).filter(|(list, row)| list.contains(Some(row)))
}

/// Shows or hides the last message of the current row. Returns false if no row of the list is current.
pub fn peek() -> bool {
    let row = current();
    let Some(id) = row.as_ref().and_then(|(_, row)| row.get_attribute(attr::ROW)) else { return false };
    if let Some((list, row)) = row {
        let shown = dom::find(&list, ".peek");
        let was_here = shown.as_ref().is_some_and(|shown| row.next_element_sibling().as_ref() == Some(shown));
        if let Some(shown) = shown {
            shown.remove();
        }
        if !was_here {
            wasm_bindgen_futures::spawn_local(show(row, id));
        }
    }
    true
}

#[lazy]
async fn show(row: Element, id: String) {
    let path = format!("{}/nested", fragments_href(&id));
    let html = match fragment::fetch(&path).await {
        Ok(html) => html,
        Err(problem) => return toast::fail(&problem),
    };
    let rows = fragment::parse(&html).map(|holder| dom::find_all(&holder, "article")).unwrap_or_default();
    let Some(place) = dom::make("li", "peek") else { return };
    // A marker of what is hidden is no message.
    let last = rows.iter().rfind(|row| !row.class_list().contains("hid")).or(rows.last());
    // The agent's last text is the most useful; later messages, such as the end of the run, are shown below it.
    let said = rows.iter().rfind(|row| row.matches(SAID).unwrap_or(false)).filter(|said| Some(*said) != last);
    match said.or(last) {
        Some(first) => {
            dom::announce(&first.get_attribute("aria-label").unwrap_or_default());
            for row in said.into_iter().chain(last) {
                let _ = place.append_child(row);
            }
        }
        None => place.set_text_content(Some("No message yet")),
    }
    let _ = row.insert_adjacent_element("afterend", &place);
}
