//! What this browser remembers, for all pages and tabs. One that remembers nothing is no failure.

use super::dom;
use web_sys::Storage;

fn storage() -> Option<Storage> {
    dom::window()?.local_storage().ok().flatten()
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
