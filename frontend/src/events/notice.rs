//! Word of a request that began to wait for the reader: on the page, to those who don't see it, and on the desktop of a
//! reader who wants that.

use super::tab;
use crate::desktop::{self, State};
use crate::toast_stack;
use app::browser::dom;
use app::shared::attr;
use web_sys::{Element, MouseEvent};

/// Milliseconds for which a word stands on the page. The rail keeps saying it.
const LIFE: i32 = 12_000;

/// A request waits, whose key is `session/seq`. On the session's own page the card itself says what for, in the inbox
/// its row.
pub fn needs_you(key: &str, href: &str, title: &str, own: bool) {
    if let Some(place) = dom::by_id("alerter") {
        let words = if own { "This session needs you".to_owned() } else { format!("{title} needs you") };
        place.set_text_content(Some(&words));
    }
    if !own && dom::by_id("asks").is_none() {
        stand(key, href, title);
    }
    if tab::leads() && !dom::visible() && desktop::state() == State::On {
        desktop::show(key, href.to_owned(), title.to_owned());
    }
}

/// It waits no longer.
pub fn answered(key: &str) {
    take_away(key);
    if tab::leads() {
        desktop::withdraw(key);
    }
}

fn take_away(key: &str) {
    let place = dom::by_id("notices");
    let own = |notice: &Element| notice.get_attribute(attr::NOTICE).as_deref() == Some(key);
    for notice in place.iter().flat_map(|place| dom::find_all(place, "[data-notice]")).filter(own) {
        notice.remove();
    }
}

fn stand(key: &str, href: &str, title: &str) {
    take_away(key);
    let Some(place) = dom::by_id("notices") else { return };
    let Some(notice) = draw(href, title) else { return };
    let _ = notice.set_attribute(attr::NOTICE, key);
    toast_stack::push(&place, &notice, Element::remove);
    toast_stack::fade(notice, LIFE, Element::remove);
}

fn draw(href: &str, title: &str) -> Option<Element> {
    let notice = dom::drawn("notice-drawn")?;
    let link = dom::find(&notice, "a")?;
    link.set_text_content(Some(title));
    let _ = link.set_attribute("href", &dom::at(href));
    let (ask, close) = (dom::find(&notice, "[data-do=notify]")?, dom::find(&notice, "[data-do=close]")?);
    if desktop::state() == State::Off && !desktop::is_settled() {
        let asked = ask.clone();
        dom::listen(&ask, "click", move |_: MouseEvent| allow(asked.clone()));
    } else {
        ask.remove();
    }
    let closed = notice.clone();
    dom::listen(&close, "click", move |_: MouseEvent| closed.remove());
    Some(notice)
}

fn allow(button: Element) {
    wasm_bindgen_futures::spawn_local(async move {
        let given = desktop::turn(true).await == State::On;
        button.set_text_content(Some(if given { "Will do" } else { "The browser refused" }));
    });
}
