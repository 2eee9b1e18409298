//! Keeps unsent text of a form that disappears because somebody else, or the agent, decided.

use app::browser::dom;
use app::browser::toast::{self, Then};
use app::shared::attr;
use app::shared::words::joined;
use model::text::is_blank;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlTextAreaElement};

/// Before `fresh` takes the place of what is in `container`: words move to the same form where there is one, and else
/// become a draft, unless they were sent.
pub fn keep(container: &Element, fresh: &Element) {
    for form in dom::find_all(container, "form[data-decide]") {
        let Some(field) = field(&form).filter(|field| !is_blank(&field.value())) else { continue };
        let id = form.get_attribute(attr::DECIDE);
        let same = |other: &Element| other.get_attribute(attr::DECIDE) == id;
        let next = dom::find_all(fresh, "form[data-decide]").into_iter().find(same);
        if let Some(next) = next {
            if let Some(next) = self::field(&next) {
                next.set_value(&field.value());
            }
        } else if !form.has_attribute("aria-busy") && !form.has_attribute(attr::SENT) {
            rescue(&field.value(), dom::focus_in(&form).is_some());
        }
    }
}

fn field(form: &Element) -> Option<HtmlTextAreaElement> {
    dom::find(form, "textarea")?.dyn_into().ok()
}

/// To the composer, behind what stands there. Who was writing goes on there.
pub fn rescue(words: &str, was_writing: bool) {
    let composer = dom::by_id("say").and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok());
    let Some(composer) = composer else {
        return toast::show(&format!("Already decided. Your text wasn't sent: {words}"), Then::Failed);
    };
    composer.set_value(&joined(&composer.value(), words));
    if let Ok(event) = Event::new("input") {
        let _ = composer.dispatch_event(&event);
    }
    if was_writing {
        let _ = composer.focus();
    }
    toast::show("Already decided. Your text wasn't sent; it is now a draft", Then::Nothing);
}
