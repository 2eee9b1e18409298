//! People's answers to approvals, and their ticks in the todo list. The server draws the forms; one listener for all of
//! them sends what was chosen.

use crate::{held, panel, transcript, unsent};
use api::Problem;
use api::contract::{DecideEndpoint, TickTodoEndpoint};
use api::messages::MessagePath;
use api::posting::{Decide, TickTodo};
use api::sessions::SessionPath;
use app::browser::{dom, fragment, toast};
use app::shared::attr;
use leptos::prelude::lazy;
use model::message_type::approval::ApprovalState;
use model::message_type::todo::TodoStatus;
use model::text::is_blank;
use serde_json::{Map, Value};
use wasm_bindgen::JsCast;
use web_sys::{
    Element, Event, HtmlButtonElement, HtmlFormElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement,
    KeyboardEvent, SubmitEvent,
};

/// Status of a request that didn't reach the server.
const UNREACHED: u16 = 0;
/// Status of an answer after another one.
const TAKEN: u16 = 409;
/// Status of an answer to an outdated request: the call has another input, or the agent asks another question.
const CHANGED: u16 = 412;

pub fn start() {
    let Some(document) = dom::document() else { return };
    dom::listen(&document, "submit", |event: SubmitEvent| {
        let Some(form) = dom::closest(&event, "form[data-decide]") else { return };
        event.prevent_default();
        if form.has_attribute("aria-busy") {
            held::withdraw(&form);
            return;
        }
        let button = event.submitter().and_then(|button| button.dyn_into::<HtmlButtonElement>().ok());
        let _ = form.set_attribute("aria-busy", "true");
        let _ = form.class_list().add_1("sends");
        // At once: what sends it may still have to be loaded.
        mark(button.as_ref(), Some("Sending\u{2026}"));
        wasm_bindgen_futures::spawn_local(async move {
            let sent = decide(form.clone(), button.clone()).await;
            let _ = form.remove_attribute("aria-busy");
            let _ = form.class_list().remove_1("sends");
            let _ = form.toggle_attribute_with_force(attr::SENT, sent);
            mark(button.as_ref(), sent.then_some("Sent"));
        });
    });
    dom::listen(&document, "keydown", |event: KeyboardEvent| {
        let sends = event.key() == "Enter" && (event.ctrl_key() || event.meta_key());
        let form = dom::closest(&event, "form[data-decide]").filter(|_| sends);
        let Some(form) = form.and_then(|form| form.dyn_into::<HtmlFormElement>().ok()) else { return };
        // Only where one button sends what was chosen and written: a key mustn't choose between yes and no.
        if let Some(button) = dom::find(&form, "button.primary").as_ref().and_then(dom::html) {
            event.prevent_default();
            let _ = form.request_submit_with_submitter(Some(button));
        }
    });
    dom::listen(&document, "change", |event: Event| {
        let tick = dom::closest(&event, "input[data-tick]").and_then(|tick| tick.dyn_into::<HtmlInputElement>().ok());
        if let Some(tick) = tick {
            // At once: what sends it may still have to be loaded.
            let _ = tick.set_attribute("aria-busy", "true");
            let _ = tick.class_list().add_1("sends");
            wasm_bindgen_futures::spawn_local(async move {
                send_tick(tick.clone()).await;
                let _ = tick.remove_attribute("aria-busy");
                let _ = tick.class_list().remove_1("sends");
            });
        }
    });
}

/// Shows the result of a press on the pressed button.
fn mark(button: Option<&HtmlButtonElement>, word: Option<&str>) {
    let Some(button) = button else { return };
    let _ = match word {
        Some(word) => button.set_attribute(attr::SAID, word),
        None => button.remove_attribute(attr::SAID),
    };
}

/// Sends a decision. Returns true if it was sent.
#[lazy]
async fn decide(form: Element, button: Option<HtmlButtonElement>) -> bool {
    let session = form.get_attribute(attr::SESSION).or_else(|| transcript::session_of(&form));
    let (Some(session), Some(message)) = (session, form.get_attribute(attr::DECIDE)) else { return false };
    let input = answer(&form, button.as_ref());
    let said = dom::find(&form, "[data-problem]");
    let nothing = input.selected.is_empty() && input.values.is_none() && input.text.is_none();
    if let Some(place) = said.as_ref().filter(|_| nothing && input.state == Some(ApprovalState::Answered)) {
        show_problem(place, "Choose an answer first, or write one");
        return false;
    }
    dom::announce("Sending");
    let path = MessagePath { session, message };
    let words = input.text.clone();
    let mut sent = fragment::client().tell::<DecideEndpoint>(path.clone(), input.clone()).await;
    while sent.as_ref().is_err_and(|problem| problem.status == UNREACHED) {
        dom::announce("The server can't be reached. The answer waits");
        if !held::wait(&form, button.as_ref(), said.as_ref()).await {
            return false;
        }
        mark(button.as_ref(), Some("Sending\u{2026}"));
        sent = fragment::client().tell::<DecideEndpoint>(path.clone(), input.clone()).await;
    }
    // The decision arrives by the event stream, as for everybody else.
    match (sent, said) {
        (Ok(()), _) => {
            dom::announce("Sent");
            return true;
        }
        // The request as it is now is drawn instead: it has to be read before it is answered.
        (Err(problem), _) if problem.status == CHANGED => {
            toast::fail(&problem);
            transcript::ask_again(&form);
        }
        // Somebody was first: their decision takes the form's place, and with it what would stand there.
        (Err(problem), Some(place)) if problem.status != TAKEN => show_problem(&place, &problem.to_string()),
        (Err(problem), _) => {
            toast::fail(&problem);
            if let Some(words) = words.filter(|_| !form.is_connected()) {
                unsent::rescue(&words, false);
            }
        }
    }
    false
}

fn show_problem(place: &Element, words: &str) {
    place.set_text_content(Some(words));
    let _ = place.remove_attribute("hidden");
}

/// Returns the values of the form, and of the button that sent it.
fn answer(form: &Element, button: Option<&HtmlButtonElement>) -> Decide {
    let state =
        button.filter(|button| button.name() == "state").and_then(|button| ApprovalState::parse(&button.value()));
    if state == Some(ApprovalState::Cancelled) {
        // Dismissing sends no answer, even if fields are filled in.
        return Decide { state, ..Decide::default() };
    }
    let mut input = Decide { shown_sha256: form.get_attribute(attr::SHOWN), ..Decide::default() };
    let mut values = Map::new();
    for element in dom::find_all(form, "input, select, textarea") {
        if let Some((name, value)) = edited(&element) {
            input.edited_input.get_or_insert_default().insert(name, value);
            continue;
        }
        let Some((name, value)) = field(&element) else { continue };
        if name == "text" {
            input.text = value.as_str().filter(|text| !is_blank(text)).map(str::to_owned);
        } else if let Some(id) = name.strip_prefix("field-") {
            values.insert(id.to_owned(), value);
        } else if name.starts_with("option-")
            && let Some(id) = value.as_str()
        {
            input.selected.push(id.to_owned());
        }
    }
    if !values.is_empty() {
        input.values = Some(values);
    }
    if let Some(button) = button {
        match button.name().as_str() {
            "option" => input.selected.push(button.value()),
            _ => input.state = state,
        }
    }
    input
}

/// Name and new value of a field of the tool's input that was changed.
fn edited(element: &Element) -> Option<(String, Value)> {
    let text = element.dyn_ref::<HtmlTextAreaElement>()?;
    let name = text.name().strip_prefix("edit-")?.to_owned();
    (Ok(text.value()) != text.default_value()).then(|| (name, Value::from(text.value())))
}

/// Name and value of a field; None for what is empty or not chosen.
fn field(element: &Element) -> Option<(String, Value)> {
    if let Some(text) = element.dyn_ref::<HtmlTextAreaElement>() {
        return Some((text.name(), Value::from(text.value()))).filter(|(name, _)| !name.starts_with("edit-"));
    }
    if let Some(select) = element.dyn_ref::<HtmlSelectElement>() {
        return Some((select.name(), Value::from(select.value()))).filter(|(_, value)| value.as_str() != Some(""));
    }
    let input = element.dyn_ref::<HtmlInputElement>()?;
    let (name, value) = (input.name(), input.value());
    match input.type_().as_str() {
        "checkbox" if name.starts_with("field-") => Some((name, Value::from(input.checked()))),
        "checkbox" | "radio" => input.checked().then(|| (name, Value::from(value))),
        "number" => Some(input.value_as_number()).filter(|n| n.is_finite()).map(|n| (name, Value::from(n))),
        _ => (!value.is_empty()).then(|| (name, Value::from(value))),
    }
}

#[lazy]
async fn send_tick(tick: HtmlInputElement) {
    let (Some(session), Some(id)) = (transcript::session_of(&tick), tick.get_attribute(attr::TICK)) else { return };
    let done = tick.checked();
    let status = if done { TodoStatus::Completed } else { TodoStatus::Pending };
    let input = TickTodo { id, status, message_id: None };
    let sent = fragment::client().tell::<TickTodoEndpoint>(SessionPath { session }, input).await;
    match sent {
        Ok(()) => {
            transcript::draw_plan();
            panel::refresh();
        }
        Err(problem) => {
            tick.set_checked(!done);
            toast::fail(&Problem { title: format!("Not ticked: {}", problem.title), ..problem });
        }
    }
}
