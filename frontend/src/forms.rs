//! Forms, buttons and switches that send themselves: each says to which endpoint and which JSON, see
//! [`app::shared::form`]. What is wrong is said at its field, and the page's part is drawn anew.

use api::{Problem, json};
use app::browser::toast::{self, Then as ToastThen};
use app::browser::{dom, fragment};
use app::shared::attr;
use app::shared::form::{As, Field, Request, Then, Wrong, refusal, request};
use serde_json::Value;
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlDialogElement, HtmlFormElement, HtmlInputElement, HtmlTextAreaElement, SubmitEvent};

const DAY: f64 = 86_400_000.0;

thread_local! {
    /// The element that the open dialog is about.
    static ASKED_ABOUT: RefCell<Option<Element>> = const { RefCell::new(None) };
}

/// Listens below an element. `draw` draws its part anew.
pub fn listen(part: &Element, draw: fn()) {
    dom::listen(part, "submit", move |event: Event| {
        let form = dom::closest(&event, "form").filter(|form| form.has_attribute(attr::SEND));
        if let Some(form) = form {
            event.prevent_default();
            let fields = fields(&form, "[name]");
            // A form with two buttons may send another body by the second one.
            let button = event.dyn_ref::<SubmitEvent>().and_then(SubmitEvent::submitter);
            let body = button.and_then(|button| button.get_attribute(attr::BODY));
            send_body(form, body, &fields, draw);
        }
    });
    dom::listen(part, "change", move |event: Event| {
        let Some(input) = dom::closest(&event, "input").filter(|input| input.has_attribute(attr::SEND)) else { return };
        // Switches of one name are sent together.
        let name = input.get_attribute("name").unwrap_or_default();
        let main = dom::by_id("main").filter(|_| kind(&input) == Some(As::Unticked));
        let fields = match main {
            Some(main) => fields(&main, &format!("input[name='{name}']")),
            None => vec![field(&input)],
        };
        send(input, &fields, draw);
    });
    dom::listen(part, "click", move |event: Event| {
        let Some(button) = dom::closest(&event, "button") else { return };
        if let Some(dialog) = button.get_attribute(attr::OPENS).and_then(|id| dialog(&id)) {
            open(&button, &dialog);
        } else if button.get_attribute("type").as_deref() == Some("button") && button.has_attribute(attr::SEND) {
            match button.get_attribute(attr::CONFIRM).and_then(|id| dialog(&id)) {
                Some(dialog) => ask(button, &dialog),
                None => send(button, &[], draw),
            }
        }
    });
    // `close` doesn't bubble.
    dom::listen_capturing(part, "close", move |event: Event| {
        let dialog = dom::closest(&event, "dialog").and_then(|dialog| dialog.dyn_into::<HtmlDialogElement>().ok());
        let is_confirmed = dialog.is_some_and(|dialog| !dialog.return_value().is_empty());
        if let Some(button) = ASKED_ABOUT.take().filter(|_| is_confirmed) {
            send(button, &[], draw);
        }
    });
}

fn dialog(id: &str) -> Option<HtmlDialogElement> {
    dom::by_id(id)?.dyn_into().ok()
}

fn show(dialog: &HtmlDialogElement, name: Option<&str>) {
    if let Some(place) = dom::find(dialog, "[data-name]") {
        place.set_text_content(name);
    }
    dialog.set_return_value("");
    let _ = dialog.show_modal();
}

fn ask(button: Element, dialog: &HtmlDialogElement) {
    show(dialog, button.get_attribute(attr::NAME).as_deref());
    ASKED_ABOUT.set(Some(button));
}

/// Opens a dialog whose form is about a button, with its values.
fn open(button: &Element, dialog: &HtmlDialogElement) {
    let form = dom::find(dialog, "form");
    if let (Some(form), Some(address)) = (&form, button.get_attribute(attr::SEND)) {
        let _ = form.set_attribute(attr::SEND, &address);
    }
    if let Some(form) = &form {
        say(form, None);
    }
    let values = button.get_attribute(attr::FILL).and_then(|text| json::read::<Value>(text.as_bytes()).ok());
    for (name, value) in values.as_ref().and_then(Value::as_object).into_iter().flatten() {
        let input =
            dom::find(dialog, &format!("[name='{name}']")).and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
        if let Some(input) = input {
            input.set_value(value.as_str().unwrap_or_default());
        }
    }
    show(dialog, button.get_attribute(attr::NAME).as_deref());
}

/// The fields of a form, but those that send themselves.
fn fields(within: &Element, selector: &str) -> Vec<Field> {
    let all = dom::find_all(within, selector).into_iter();
    let is_part = |field: &Element| !field.has_attribute(attr::SEND) || kind(field) == Some(As::Unticked);
    all.filter(is_part).map(|field| self::field(&field)).collect()
}

fn kind(field: &Element) -> Option<As> {
    As::parse(&field.get_attribute(attr::AS)?)
}

fn field(element: &Element) -> Field {
    let input = element.dyn_ref::<HtmlInputElement>();
    let area = || element.dyn_ref::<HtmlTextAreaElement>().map(HtmlTextAreaElement::value);
    let select = || element.dyn_ref::<web_sys::HtmlSelectElement>().map(web_sys::HtmlSelectElement::value);
    Field {
        name: element.get_attribute("name").unwrap_or_default(),
        kind: kind(element),
        text: input.map(HtmlInputElement::value).or_else(area).or_else(select).unwrap_or_default(),
        is_on: input.is_some_and(HtmlInputElement::checked),
        may_be_empty: element.has_attribute(attr::EMPTY),
    }
}

fn after_days(days: u32) -> String {
    String::from(js_sys::Date::new(&(js_sys::Date::now() + f64::from(days) * DAY).into()).to_iso_string())
}

fn send(from: Element, fields: &[Field], draw: fn()) {
    send_body(from, None, fields, draw);
}

/// Sends a body instead of that of the element itself, if there is one.
fn send_body(from: Element, body: Option<String>, fields: &[Field], draw: fn()) {
    let body = body.or_else(|| from.get_attribute(attr::BODY)).and_then(|text| json::read(text.as_bytes()).ok());
    let made = request(&from.get_attribute(attr::SEND).unwrap_or_default(), body, fields, after_days);
    let Request { method, path, body } = match made {
        Ok(request) => request,
        Err(wrong) => return say(&from, Some(&wrong)),
    };
    let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
    if from.tag_name() == "BUTTON" {
        let _ = from.set_attribute("disabled", "");
    }
    wasm_bindgen_futures::spawn_local(async move {
        let answer = fragment::send(method, path, body).await;
        if from.tag_name() == "BUTTON" {
            let _ = from.remove_attribute("disabled");
        }
        match answer {
            Ok(answer) => done(&from, &answer, draw),
            Err(problem) => refuse(&from, &problem, &names),
        }
    });
}

fn refuse(from: &Element, problem: &Problem, names: &[String]) {
    if dom::find(from, &format!("[{}]", attr::PROBLEM)).is_none() {
        return toast::fail(problem);
    }
    say(from, Some(&refusal(problem, names, |name| place_of(from, name).is_some())));
}

fn place_of(form: &Element, name: &str) -> Option<Element> {
    dom::find(form, &format!("[{}='{name}']", attr::PROBLEM))
}

/// Says what is wrong with a form, at its field if that has a place for it.
fn say(form: &Element, wrong: Option<&Wrong>) {
    for field in dom::find_all(form, "[aria-invalid]") {
        let _ = field.remove_attribute("aria-invalid");
    }
    for said in dom::find_all(form, &format!("[{}]", attr::PROBLEM)) {
        let _ = said.set_attribute("hidden", "");
    }
    let Some(Wrong { field, words }) = wrong else { return };
    if let Some(said) = place_of(form, field).or_else(|| place_of(form, "")) {
        said.set_text_content(Some(words));
        let _ = said.remove_attribute("hidden");
    }
    if let Some(field) = dom::find(form, &format!("[name='{field}']")) {
        let _ = field.set_attribute("aria-invalid", "true");
        if let Some(field) = dom::html(&field) {
            let _ = field.focus();
        }
    }
}

/// It was done: the page says so, and shows what came of it.
fn done(from: &Element, answer: &Value, draw: fn()) {
    if let Some(form) = from.dyn_ref::<HtmlFormElement>() {
        say(form, None);
        if let Ok(Some(dialog)) = form.closest("dialog") {
            form.reset();
            dialog.unchecked_into::<HtmlDialogElement>().close();
        }
    }
    if let Some(place) = from.get_attribute(attr::HIDES).and_then(|id| dom::by_id(&id)) {
        let _ = place.set_attribute("hidden", "");
    }
    if let Some(place) = from.get_attribute(attr::SHOWS).and_then(|id| dom::by_id(&id)) {
        reveal(&place, from, answer);
    }
    match from.get_attribute(attr::DONE) {
        Some(words) if words.is_empty() => {}
        Some(words) if from.has_attribute(attr::DONE_TOAST) => toast::show(&words, ToastThen::Nothing),
        words => dom::announce(words.as_deref().unwrap_or("Saved")),
    }
    match from.get_attribute(attr::THEN).and_then(|then| Then::parse(&then)).unwrap_or(Then::Draw) {
        Then::Draw => draw(),
        Then::Reload => dom::reload(),
        Then::TakeRow => take_row(from),
        Then::Stay => {}
    }
}

/// Shows a place with what the answer says, unless it lacks something of that; and with an undo for a button.
fn reveal(place: &Element, from: &Element, answer: &Value) {
    let slots = dom::find_all(place, &format!("[{}]", attr::SLOT));
    for slot in &slots {
        let Some(words) =
            answer.pointer(&format!("/{}", slot.get_attribute(attr::SLOT).unwrap_or_default())).and_then(Value::as_str)
        else {
            return;
        };
        match &*slot.tag_name() {
            "BUTTON" => drop(slot.set_attribute(attr::TEXT, words)),
            "IMG" => drop(slot.set_attribute("src", &dom::at(words))),
            _ => slot.set_text_content(Some(words)),
        }
    }
    if let Some(name) = dom::find(place, "[data-name]") {
        name.set_text_content(from.get_attribute(attr::NAME).as_deref());
    }
    if let Some((address, undo)) = from.get_attribute(attr::UNDO).zip(dom::find(place, "button")) {
        let _ = undo.set_attribute(attr::SEND, &address);
        let _ = undo.set_attribute(attr::BODY, &from.get_attribute(attr::UNDO_BODY).unwrap_or_default());
    }
    let _ = place.remove_attribute("hidden");
    // Move the focus to the button that has just appeared.
    if let Some(button) = slots.iter().find(|slot| slot.tag_name() == "BUTTON").and_then(dom::html) {
        let _ = button.focus();
    }
}

/// Takes the row of a button away. The focus goes to the next one.
fn take_row(from: &Element) {
    let Ok(Some(row)) = from.closest("[data-row]") else { return };
    let beside = row.next_element_sibling().or_else(|| row.previous_element_sibling());
    row.remove();
    match beside.and_then(|row| dom::find(&row, "button")) {
        Some(next) => {
            if let Some(next) = dom::html(&next) {
                let _ = next.focus();
            }
        }
        // The last one is gone: the server says so.
        None => dom::reload(),
    }
}
