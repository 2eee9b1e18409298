//! The current row of a list or a transcript: where `j` and `k` walk, and what single keys act on.

use app::browser::dom;
use app::shared::attr;
use web_sys::Element;

/// Returns the current row.
pub fn current() -> Option<Element> {
    dom::document()?.query_selector("[data-current]").ok().flatten()
}

/// Makes a row the current one.
pub fn mark(row: &Element) {
    if let Some(before) = current() {
        let _ = before.remove_attribute(attr::CURRENT);
    }
    let _ = row.set_attribute(attr::CURRENT, "");
}
