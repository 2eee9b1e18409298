//! Word of a session that began to wait for the reader: on the page, to those who don't see it, and on the desktop of a
//! reader who wants that.

use super::tab;
use crate::slip;
use app::browser::page_state::NOTIFY;
use app::browser::{dom, storage};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, Event, MouseEvent, Notification, NotificationOptions, NotificationPermission};

/// Milliseconds for which a word stands on the page. The rail keeps saying it.
const LIFE: i32 = 12_000;

/// A session waits. Of the page's own one the card itself says what for.
pub fn needs_you(id: &str, href: &str, title: &str, own: bool) {
    if let Some(place) = dom::by_id("alerter") {
        let words = if own { "This session needs you".to_owned() } else { format!("{title} needs you") };
        place.set_text_content(Some(&words));
    }
    if !own {
        stand(id, href, title);
    }
    if tab::leads() && !dom::visible() && wanted() && Notification::permission() == NotificationPermission::Granted {
        on_desktop(id, href, title);
    }
}

/// It waits no longer.
pub fn answered(id: &str) {
    let place = dom::by_id("notices");
    let own = |notice: &Element| notice.get_attribute("data-notice").as_deref() == Some(id);
    for notice in place.iter().flat_map(|place| dom::find_all(place, "[data-notice]")).filter(own) {
        notice.remove();
    }
}

fn stand(id: &str, href: &str, title: &str) {
    answered(id);
    let Some(place) = dom::by_id("notices") else { return };
    let Some(notice) = draw(href, title) else { return };
    let _ = notice.set_attribute("data-notice", id);
    slip::lay(&place, &notice, Element::remove);
    slip::fade(notice, LIFE, Element::remove);
}

fn draw(href: &str, title: &str) -> Option<Element> {
    let make = |tag: &str, class: &str, words: &str| {
        let element = dom::make(tag, class)?;
        element.set_text_content(Some(words));
        Some(element)
    };
    let notice = make("div", "notice", "")?;
    let link = make("a", "cut", title)?;
    let _ = link.set_attribute("href", href);
    let close = make("button", "btn quiet tiny", "Close")?;
    let closed = notice.clone();
    dom::listen(&close, "click", move |_: MouseEvent| closed.remove());
    let word = make("span", "state", "Needs you")?;
    notice.append_child(&word).ok()?;
    notice.append_child(&link).ok()?;
    if can_ask() {
        let ask = make("button", "btn tiny", "Notify on the desktop")?;
        let asked = ask.clone();
        dom::listen(&ask, "click", move |_: MouseEvent| allow(asked.clone()));
        notice.append_child(&ask).ok()?;
    }
    notice.append_child(&close).ok()?;
    Some(notice)
}

fn wanted() -> bool {
    storage::get(NOTIFY).as_deref() == Some("1") && possible()
}

/// Outside of secure contexts there are none.
fn possible() -> bool {
    dom::window().is_some_and(|w| js_sys::Reflect::has(&w, &"Notification".into()).unwrap_or(false))
}

fn can_ask() -> bool {
    possible() && storage::get(NOTIFY).is_none() && Notification::permission() != NotificationPermission::Denied
}

fn allow(button: Element) {
    wasm_bindgen_futures::spawn_local(async move {
        let Ok(answer) = Notification::request_permission() else { return };
        let given = JsFuture::from(answer).await.ok().and_then(|word| word.as_string()).as_deref() == Some("granted");
        storage::set(NOTIFY, Some(if given { "1" } else { "0" }));
        button.set_text_content(Some(if given { "Will do" } else { "The browser refused" }));
    });
}

fn on_desktop(id: &str, href: &str, title: &str) {
    let options = NotificationOptions::new();
    options.set_body(title);
    options.set_tag(id);
    let Ok(notification) = Notification::new_with_options("An agent needs you", &options) else { return };
    let (href, shown) = (href.to_owned(), notification.clone());
    let clicked = Closure::once_into_js(move |_: Event| {
        shown.close();
        if let Some(window) = dom::window() {
            let _ = window.focus();
        }
        dom::go_to(&href);
    });
    notification.set_onclick(Some(clicked.unchecked_ref()));
}
