//! The browser's storage, for all pages and tabs, and that of one tab. A browser without storage is no error.

use super::dom;
use web_sys::Storage;

fn storage() -> Option<Storage> {
    dom::window()?.local_storage().ok().flatten()
}

/// Returns the storage of this tab, which ends with it.
pub fn of_tab() -> Option<Storage> {
    dom::window()?.session_storage().ok().flatten()
}

pub fn get(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Remembers a value, or forgets it.
pub fn set(key: &str, value: Option<&str>) {
    let Some(storage) = storage() else { return };
    let _ = match value {
        Some(value) => storage.set_item(key, value),
        None => storage.remove_item(key),
    };
}

/// All keys that begin so, without their beginning.
pub fn below(prefix: &str) -> Vec<String> {
    let Some(storage) = storage() else { return Vec::new() };
    let keys = (0..storage.length().unwrap_or(0)).filter_map(|n| storage.key(n).ok().flatten());
    keys.filter_map(|key| key.strip_prefix(prefix).map(str::to_owned)).collect()
}

/// Beginnings of keys that hold what was written and not sent.
const UNSENT: [&str; 4] = ["draft:", "sending:", "files:", "comments:"];
/// Beginnings of keys that say how this browser shows things, and nothing of what was read or written.
const SETTINGS: [&str; 3] = ["diff.", "panel.", "verbatim.notify"];

/// Returns whether something was written here and not sent.
pub fn has_unsent() -> bool {
    UNSENT.iter().any(|prefix| !below(prefix).is_empty())
}

/// Forgets what was read and written here, in all tabs.
pub fn forget_reader() {
    for key in below("").iter().filter(|key| !SETTINGS.iter().any(|setting| key.starts_with(setting))) {
        set(key, None);
    }
    if let Some(of_tab) = of_tab() {
        let _ = of_tab.clear();
    }
}
