//! Whether the page follows live: a word in the rail's foot, and above everything else what a page that doesn't can't
//! show.

use crate::times;
use app::browser::dom;
use app::browser::page_state::page_state;
use app::shared::attr;
use app::shared::events::Link;
use app::shared::words;
use std::cell::RefCell;
use web_sys::Element;

pub fn start() {
    let (Some(state), Some(notice)) = (dom::by_id("live"), dom::by_id("link-notice")) else { return };
    let link = page_state().link;
    let kept = dom::kept_at().map(|at| times::day_and_hour(at, js_sys::Date::now()));
    let lost_since: RefCell<Option<String>> = RefCell::default();
    link.clone().follow(move || {
        let link = link.get();
        let is_lost = matches!(link, Link::Reconnecting(_) | Link::Offline);
        let since = lost_since.take().or_else(|| Some(dom::time_of_day())).filter(|_| is_lost);
        show_state(&state, link);
        let words = words::of_link(link, since.as_deref().unwrap_or_default(), kept.as_deref());
        let _ = notice.toggle_attribute_with_force("hidden", words.is_empty());
        if notice.text_content().as_deref() != Some(&words) {
            notice.set_text_content(Some(&words));
        }
        lost_since.replace(since);
    });
}

fn show_state(state: &Element, link: Link) {
    let (tag, word) = match link {
        Link::Connecting => ("idle", "Connecting"),
        Link::Live => ("done", "Live"),
        Link::Reconnecting(_) => ("idle", "Reconnecting"),
        Link::Offline => ("idle", "Offline"),
        Link::Replaying(_) => ("idle", "Catching up"),
    };
    let _ = state.set_attribute(attr::STATE, tag);
    if let Some(place) = state.last_element_child() {
        place.set_text_content(Some(word));
    }
}
