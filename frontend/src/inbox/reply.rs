//! Questions in words: what is typed below one answers it by its name.

use crate::unsent;
use api::contract::PostMessageEndpoint;
use app::browser::{dom, fragment};
use app::shared::attr;
use app::shared::hash::text_hash;
use model::text::is_blank;
use serde_json::json;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlFormElement, HtmlTextAreaElement, KeyboardEvent, SubmitEvent};

/// A form whose answer arrived, or is on its way.
const SENT: &str = "form.reply:is([data-sent], [aria-busy])";

/// Returns true if the reader answered it here.
pub fn is_sent(row: &Element) -> bool {
    dom::find(row, SENT).is_some()
}

pub fn start() {
    let Some(list) = dom::by_id("asks") else { return };
    dom::listen(&list, "submit", |event: SubmitEvent| {
        let Some(form) = dom::closest(&event, "form[data-reply]") else { return };
        event.prevent_default();
        if !form.has_attribute("aria-busy") {
            let _ = form.set_attribute("aria-busy", "true");
            wasm_bindgen_futures::spawn_local(send(form));
        }
    });
    dom::listen(&list, "keydown", |event: KeyboardEvent| {
        let sends = event.key() == "Enter" && (event.ctrl_key() || event.meta_key());
        let form = dom::closest(&event, "form[data-reply]").filter(|_| sends);
        if let Some(form) = form.and_then(|form| form.dyn_into::<HtmlFormElement>().ok()) {
            event.prevent_default();
            let _ = form.request_submit();
        }
    });
}

async fn send(form: Element) {
    let session = form.closest("[data-session]").ok().flatten().and_then(|row| row.get_attribute(attr::SESSION));
    let (Some(session), Some(question), Some(field)) = (session, form.get_attribute(attr::REPLY), field(&form)) else {
        return;
    };
    let (problem, button) = (dom::find(&form, "[data-problem]"), dom::find(&form, "button"));
    let mark = |word: Option<&str>| {
        let Some(button) = &button else { return };
        let _ = match word {
            Some(word) => button.set_attribute(attr::SAID, word),
            None => button.remove_attribute(attr::SAID),
        };
    };
    mark(Some("Sending\u{2026}"));
    // The same answer under the same id is stored once, also where the reply to the first try was lost.
    let id = format!("{question}~{}", text_hash(&field.value()));
    let input = json!({ "id": id, "content": field.value(), "reply_to": question });
    let sent = fragment::ask(PostMessageEndpoint, [session.as_str()], input).await;
    let _ = form.remove_attribute("aria-busy");
    mark(sent.is_ok().then_some("Sent"));
    let _ = form.toggle_attribute_with_force(attr::SENT, sent.is_ok());
    if let Some(place) = problem {
        let _ = place.toggle_attribute_with_force("hidden", sent.is_ok());
        place.set_text_content(sent.err().map(|problem| problem.to_string()).as_deref());
    }
}

fn field(place: &Element) -> Option<HtmlTextAreaElement> {
    dom::find(place, "[data-reply] textarea, textarea[name=content]")?.dyn_into().ok()
}

/// Moves typed text to the row that replaces another.
pub fn keep(old: &Element, new: &Element) {
    if let (Some(old), Some(new)) = (field(old), field(new)) {
        new.set_value(&old.value());
    }
}

/// Before a row loses its field: what was typed there and not sent isn't lost.
pub fn rescue(row: &Element) {
    let typed = field(row).map(|field| field.value()).filter(|text| !is_blank(text));
    if let Some(typed) = typed.filter(|_| !is_sent(row)) {
        unsent::rescue(&typed, false);
    }
}
