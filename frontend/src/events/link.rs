//! Whether the page follows live: a word in the rail's foot, and above everything else what a page that doesn't can't show.

use crate::times;
use app::browser::dom;
use app::browser::page_state::page_state;
use app::shared::events::Link;
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
        let words = words(link, since.as_deref().unwrap_or_default(), kept.as_deref());
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
    let _ = state.set_attribute("data-state", tag);
    if let Some(place) = state.last_element_child() {
        place.set_text_content(Some(word));
    }
}

/// Nothing while it is live. `kept` is when the page was read, where it doesn't come from the server.
fn words(link: Link, since: &str, kept: Option<&str>) -> String {
    match link {
        // One attempt is what a server takes that starts again.
        Link::Connecting | Link::Live | Link::Reconnecting(0 | 1) => String::new(),
        Link::Reconnecting(n) => {
            format!(
                "No answer since {since}, attempt {n}. What was written since isn't here yet; it comes with the connection."
            )
        }
        Link::Offline => match kept {
            Some(at) => format!("Offline: as of {at}. The page goes on by itself when the server answers."),
            None => {
                format!("Offline since {since}. What was written since isn't here yet; it comes with the connection.")
            }
        },
        Link::Replaying(behind) => format!("Catching up: {} behind", app::figures::counted(behind, "change")),
    }
}
