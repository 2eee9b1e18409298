//! State in the browser's storage: display options of diffs, and viewed files.

use api::json;
use app::browser::{dom, storage};
use app::shared::attr;
use std::collections::BTreeMap;
use web_sys::Element;

/// From this width of a card on its two sides stand beside each other.
const WIDE: f64 = 900.0;
/// Minimum width in pixels for two sides.
const WIDE_ENOUGH: f64 = 640.0;

pub fn root() -> Option<Element> {
    dom::by_id("review")
}

pub fn session() -> String {
    root().and_then(|root| root.get_attribute(attr::SESSION)).unwrap_or_default()
}

/// Returns true if the two sides are shown side by side.
pub fn is_split() -> bool {
    let width = dom::by_id("files").map_or(0.0, |files| files.get_bounding_client_rect().width() - 32.0);
    match storage::get("diff.view").as_deref() {
        Some("split") => width >= WIDE_ENOUGH,
        Some("unified") => false,
        _ => width >= WIDE,
    }
}

pub fn is_on(name: &str) -> bool {
    storage::get(&format!("diff.{name}")).as_deref() == Some("1")
}

pub fn turn(name: &str) -> bool {
    let on = !is_on(name);
    storage::set(&format!("diff.{name}"), on.then_some("1"));
    on
}

fn viewed_key() -> String {
    format!("viewed:{}", session())
}

/// Paths with the hash of the change that was viewed.
pub struct Viewed(BTreeMap<String, String>);

/// The viewed files, read at once, because there may be thousands.
pub fn viewed() -> Viewed {
    Viewed(storage::get(&viewed_key()).and_then(|text| json::read(text.as_bytes()).ok()).unwrap_or_default())
}

impl Viewed {
    /// Returns true if this version of the file was viewed.
    pub fn has(&self, card: &Element) -> bool {
        let hash = card.get_attribute(attr::HASH);
        card.get_attribute(attr::PATH).is_some_and(|path| self.0.get(&path) == hash.as_ref())
    }
}

pub fn set_viewed(card: &Element, viewed: bool) {
    let (Some(path), Some(hash)) = (card.get_attribute(attr::PATH), card.get_attribute(attr::HASH)) else { return };
    let Viewed(mut all) = self::viewed();
    if viewed {
        all.insert(path, hash);
    } else {
        all.remove(&path);
    }
    storage::set(&viewed_key(), json::write(&all).ok().as_deref());
}
