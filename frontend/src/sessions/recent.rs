//! Recent searches, stored on this device only.

use app::browser::{dom, storage};
use app::shared::page_path;
use js_sys::{Array, JSON};
use wasm_bindgen::{JsCast, JsValue};

const KEY: &str = "searches";
const MOST: usize = 8;

/// Notes the search of this page; without one, shows those that were.
pub fn start() {
    let mut searches = stored().unwrap_or_default();
    let words = dom::parameter("q");
    match words.map(|words| words.trim().to_owned()).filter(|words| !words.is_empty()) {
        Some(words) => {
            searches.retain(|search| *search != words);
            searches.insert(0, words);
            searches.truncate(MOST);
            let all: Array = searches.iter().map(|search| JsValue::from_str(search)).collect();
            if let Ok(text) = JSON::stringify(&all) {
                storage::set(KEY, Some(&String::from(text)));
            }
        }
        None => show(&searches),
    }
}

fn stored() -> Option<Vec<String>> {
    let list: Array = JSON::parse(&storage::get(KEY)?).ok()?.dyn_into().ok()?;
    Some(list.iter().filter_map(|search| search.as_string()).collect())
}

fn show(searches: &[String]) {
    let Some(place) = dom::by_id("recent-searches").filter(|_| !searches.is_empty()) else { return };
    let Some(list) = dom::find(&place, "ul") else { return };
    for words in searches {
        let (Some(item), Some(link)) = (dom::make("li", ""), dom::make("a", "chip")) else { continue };
        let _ =
            link.set_attribute("href", &dom::at(&format!("{}?q={}", page_path::SEARCH, api::endpoint::segment(words))));
        link.set_text_content(Some(words));
        let _ = item.append_child(&link);
        let _ = list.append_child(&item);
    }
    let _ = place.remove_attribute("hidden");
}
