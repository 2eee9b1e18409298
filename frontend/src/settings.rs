//! The settings page: keys of agents, devices, looks, shortcuts, names; and the page of a session's routing. Changes are sent as
//! they are made; the server then draws the page's parts anew.

mod channels;
mod notices;
mod remap;
mod routing;

use crate::desktop::{self, State};
use crate::swap::swap;
use api::Problem;
use api::contract::{
    CreateKey, DeclareTypeEndpoint, EditKeyEndpoint, EditPreferencesEndpoint, EditTypeSettingsEndpoint, EndLogIn,
    EndOtherLogIns, GetType, RemoveType, RevokeKey, RevokeRule,
};
use api::endpoint::segment;
use app::browser::{dom, focus, fragment, session_pick, toast};
use app::shared::page_action::PageAction;
use leptos::prelude::lazy;
use serde_json::{Value, json};
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, FormData, HtmlDialogElement, HtmlFormElement, HtmlInputElement, MouseEvent};

const DAY: f64 = 86_400_000.0;
/// In bytes.
const MEGABYTE: f64 = 1e6;

thread_local! {
    /// The key that the dialog asks about.
    static ASKED_ABOUT: RefCell<String> = const { RefCell::new(String::new()) };
    /// The documents of the type that was removed last, the newest version first.
    static REMOVED: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Listens to the settings page.
#[lazy]
pub async fn settings() {
    start();
}

fn start() {
    let Some(main) = dom::by_id("main") else { return };
    dom::listen(&main, "click", |event: MouseEvent| {
        if let Some((action, button)) = dom::action(&event) {
            click(action, &button);
        }
    });
    dom::listen(&main, "change", |event: Event| {
        if let Some(input) = dom::closest(&event, "input").and_then(|e| e.dyn_into::<HtmlInputElement>().ok()) {
            change(&input);
        }
    });
    session_pick::listen(&main);
    dom::listen(&main, "submit", |event: Event| {
        let Some(form) = dom::closest(&event, "form").and_then(|e| e.dyn_into::<HtmlFormElement>().ok()) else {
            return;
        };
        if let Some(name) = form.get_attribute("data-preference") {
            event.prevent_default();
            prefer(&form, &name);
        } else if form.has_attribute("data-declare") {
            event.prevent_default();
            declare(form);
        } else if form.closest("#new-key").ok().flatten().is_some() {
            event.prevent_default();
            make_key(form);
        } else if form.closest("#quota").ok().flatten().is_some() {
            event.prevent_default();
            set_quota(&form);
        } else if routing::submit(&form) || channels::submit(&form) || notices::submit(&form) {
            event.prevent_default();
        }
    });
    if let Some(dialog) = dialog("revoke") {
        let asked = dialog.clone();
        dom::listen(&dialog, "close", move |_: Event| {
            if asked.return_value() == "revoke" {
                let key = ASKED_ABOUT.with_borrow(Clone::clone);
                then_draw(fragment::ask(RevokeKey, [&key], Value::Null));
            }
        });
    }
    remap::start();
    show_notifications();
}

fn dialog(id: &str) -> Option<HtmlDialogElement> {
    dom::by_id(id)?.dyn_into().ok()
}

fn click(action: PageAction, button: &Element) {
    let of = |name: &str| button.get_attribute(name).unwrap_or_default();
    match action {
        PageAction::NewKey => {
            if let Some(dialog) = dialog("new-key") {
                let _ = dialog.show_modal();
            }
        }
        PageAction::CloseDialog => {
            if let Some(dialog) =
                button.closest("dialog").ok().flatten().and_then(|d| d.dyn_into::<HtmlDialogElement>().ok())
            {
                dialog.close();
            }
        }
        PageAction::RevokeKey => ask_about(button, "revoke"),
        PageAction::SetQuota => {
            fill("#quota [name=messages]", &of("data-messages"));
            let bytes = of("data-bytes").parse::<f64>().unwrap_or_default();
            fill("#quota [name=megabytes]", &(bytes / MEGABYTE).ceil().to_string());
            ask_about(button, "quota");
        }
        PageAction::EndLogin => {
            then_draw(fragment::ask(EndLogIn, [&of("data-login")], Value::Null));
        }
        PageAction::RevokeRule => {
            then_draw(fragment::ask(RevokeRule, [&of("data-rule")], Value::Null));
        }
        PageAction::RemoveType => remove_type(of("data-type")),
        PageAction::RestoreType => restore_type(),
        PageAction::OlderAudit => show_older(button),
        PageAction::ResetRouting => routing::reset(button),
        PageAction::RemoveNotice => notices::remove(&of("data-notice")),
        PageAction::LogOutOthers => then_draw(fragment::ask(EndOtherLogIns, [], Value::Null)),
        action => channels::click(action, button),
    }
}

/// Opens a dialog about the key of a button.
fn ask_about(button: &Element, id: &str) {
    let Some(dialog) = dialog(id) else { return };
    ASKED_ABOUT.set(button.get_attribute("data-key").unwrap_or_default());
    if let Some(name) = dom::find(&dialog, "[data-name]") {
        name.set_text_content(button.get_attribute("data-name").as_deref());
    }
    problem_of(&dialog, None);
    dialog.set_return_value("");
    let _ = dialog.show_modal();
}

fn fill(selector: &str, value: &str) {
    let input = dom::by_id("main").and_then(|main| dom::find(&main, selector));
    if let Some(input) = input.and_then(|e| e.dyn_into::<HtmlInputElement>().ok()) {
        input.set_value(value);
    }
}

/// Shows a problem in a dialog or its form; None hides it.
fn problem_of(place: &Element, words: Option<&str>) {
    if let Some(said) = dom::find(place, "[data-problem]") {
        said.set_text_content(words);
        let _ = said.toggle_attribute_with_force("hidden", words.is_none());
    }
}

fn set_quota(form: &HtmlFormElement) {
    let Ok(data) = FormData::new_with_form(form) else { return };
    let number = |name: &str| data.get(name).as_string().and_then(|text| text.parse::<f64>().ok()).unwrap_or_default();
    // Whole numbers; the server says which are too large.
    let (messages, bytes) = (number("messages") as i64, (number("megabytes") * MEGABYTE) as i64);
    let key = ASKED_ABOUT.with_borrow(Clone::clone);
    let form = form.clone();
    wasm_bindgen_futures::spawn_local(async move {
        let input = json!({ "quota": { "messages": messages, "bytes": bytes } });
        match fragment::ask(EditKeyEndpoint, [&key], input).await {
            Ok(_) => {
                if let Some(dialog) = dialog("quota") {
                    dialog.close();
                }
                dom::announce("Saved");
                draw().await;
            }
            Err(problem) => problem_of(&form, Some(&problem.to_string())),
        }
    });
}

fn change(input: &HtmlInputElement) {
    if input.has_attribute("data-look") {
        dom::set_look(&input.name(), &input.value());
    } else if let Some(notice) = input.get_attribute("data-notice-on") {
        notices::switch(&notice, input.checked());
    } else if let Some(field) = input.get_attribute("data-types") {
        switch_types(&field);
    } else if input.id() == "single-keys" {
        remap::save(json!({ "single_keys": input.checked() }));
    } else if input.id() == "notifications" {
        notify(input.checked());
    }
}

/// Sends the types whose switch is off.
fn switch_types(field: &str) {
    let Some(main) = dom::by_id("main") else { return };
    let inputs = dom::find_all(&main, &format!("input[data-types={field}]"));
    let inputs = inputs.into_iter().filter_map(|input| input.dyn_into::<HtmlInputElement>().ok());
    let off: Vec<String> = inputs.filter(|input| !input.checked()).map(|input| input.value()).collect();
    let mut edit = json!({});
    edit[field] = off.into();
    then_draw(fragment::ask(EditTypeSettingsEndpoint, [], edit));
}

fn prefer(form: &HtmlFormElement, name: &str) {
    let value = dom::find(form, "input").and_then(|e| e.dyn_into::<HtmlInputElement>().ok()).map(|input| input.value());
    let mut edit = json!({});
    edit[name] = value.unwrap_or_default().into();
    then_draw(fragment::ask(EditPreferencesEndpoint, [], edit));
}

fn make_key(form: HtmlFormElement) {
    let Ok(data) = FormData::new_with_form(&form) else { return };
    let text = |name: &str| data.get(name).as_string().unwrap_or_default();
    let scopes = data.get_all("scope").iter().filter_map(|scope| scope.as_string()).collect::<Vec<_>>();
    let expires_at = text("days").parse::<u32>().ok().map(|days| {
        String::from(js_sys::Date::new(&(js_sys::Date::now() + f64::from(days) * DAY).into()).to_iso_string())
    });
    if scopes.is_empty() {
        problem_of(&form, Some("A key that may do nothing is of no use"));
        return;
    }
    let mut input = json!({ "name": text("name"), "scopes": scopes });
    if let Some(at) = expires_at {
        input["expires_at"] = at.into();
    }
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::ask(CreateKey, [], input).await {
            Ok(made) => {
                problem_of(&form, None);
                form.reset();
                if let Some(dialog) = dialog("new-key") {
                    dialog.close();
                }
                show_key(made["name"].as_str().unwrap_or_default(), made["key"].as_str().unwrap_or_default());
                draw().await;
            }
            Err(problem) => problem_of(&form, Some(&problem.to_string())),
        }
    });
}

/// The only time that the key is seen.
fn show_key(name: &str, key: &str) {
    let Some(place) = dom::by_id("key-made") else { return };
    let fill = |selector: &str, words: &str| {
        if let Some(slot) = dom::find(&place, selector) {
            slot.set_text_content(Some(words));
        }
    };
    fill("[data-name]", &format!("Key \u{201c}{name}\u{201d} was made."));
    fill("[data-key]", key);
    if let Some(button) = dom::find(&place, "button") {
        let _ = button.set_attribute("data-text", key);
        let _ = place.remove_attribute("hidden");
        if let Some(button) = dom::html(&button) {
            let _ = button.focus();
        }
    }
}

/// Waits for an answer, and shows what came of it.
fn then_draw(answer: impl Future<Output = Result<Value, Problem>> + 'static) {
    wasm_bindgen_futures::spawn_local(async move {
        match answer.await {
            Ok(_) => {
                dom::announce("Saved");
                draw().await;
            }
            Err(problem) => toast::fail(&problem),
        }
    });
}

/// Declares the type that a document names.
fn declare(form: HtmlFormElement) {
    let Ok(data) = FormData::new_with_form(&form) else { return };
    let text = data.get("document").as_string().unwrap_or_default();
    let document = api::json::read::<Value>(text.as_bytes()).ok().filter(Value::is_object);
    let Some(document) = document else { return problem_of(&form, Some("This isn't a JSON object")) };
    let Some(name) = type_of(&document) else { return problem_of(&form, Some("`/type` is missing")) };
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::ask(DeclareTypeEndpoint, [&name], document).await {
            Ok(_) => {
                dom::announce("Saved");
                draw().await;
            }
            Err(problem) => problem_of(&form, Some(&problem.to_string())),
        }
    });
}

fn type_of(document: &Value) -> Option<String> {
    document["type"].as_str().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// Removes a type, and keeps its documents for as long as the page is open.
fn remove_type(name: String) {
    wasm_bindgen_futures::spawn_local(async move {
        let removed = async {
            let detail = fragment::ask(GetType, [&name], Value::Null).await?;
            fragment::ask(RemoveType, [&name], Value::Null).await?;
            Ok::<Value, Problem>(detail)
        };
        let detail: Value = match removed.await {
            Ok(detail) => detail,
            Err(problem) => return toast::fail(&problem),
        };
        let versions = detail["versions"].as_array().cloned().unwrap_or_default();
        REMOVED.set(versions.into_iter().map(|mut version| version["document"].take()).collect());
        show_removed("type-removed", Some(&format!("The type {name} was removed. ")));
        draw().await;
    });
}

fn show_removed(id: &str, words: Option<&str>) {
    let Some(place) = dom::by_id(id) else { return };
    if let Some(said) = dom::find(&place, "[data-name]") {
        said.set_text_content(words);
    }
    let _ = place.toggle_attribute_with_force("hidden", words.is_none());
}

fn restore_type() {
    let mut documents = REMOVED.take();
    wasm_bindgen_futures::spawn_local(async move {
        // The oldest version first.
        while let Some(document) = documents.last().cloned() {
            if let Some(name) = type_of(&document)
                && let Err(problem) = fragment::ask(DeclareTypeEndpoint, [&name], document).await
            {
                REMOVED.set(documents);
                return toast::fail(&problem);
            }
            documents.pop();
        }
        show_removed("type-removed", None);
        if let Some(place) = dom::by_id("settings") {
            focus::put(&place);
        }
        dom::announce("Restored");
        draw().await;
    });
}

/// Puts older entries of the audit log below those that are shown. The focus goes to the first of them.
fn show_older(button: &Element) {
    let path =
        format!("/fragments/settings/audit?after={}", segment(&button.get_attribute("data-after").unwrap_or_default()));
    let _ = button.toggle_attribute_with_force("disabled", true);
    let button = button.clone();
    wasm_bindgen_futures::spawn_local(async move {
        let fresh = match fragment::fetch(&path).await {
            Ok(html) => fragment::parse(&html),
            Err(problem) => {
                let _ = button.toggle_attribute_with_force("disabled", false);
                return toast::fail(&problem);
            }
        };
        let (Some(fresh), Some(section)) = (fresh, dom::by_id("audit")) else { return };
        let (Some(shown), Some(old)) = (dom::find(&section, "tbody"), dom::find(&section, "#audit-older")) else {
            return;
        };
        let rows = dom::find_all(&fresh, "tr");
        for row in &rows {
            let _ = shown.append_child(row);
        }
        match dom::find(&fresh, "#audit-older") {
            Some(next) => {
                let _ = old.replace_with_with_node_1(&next);
            }
            None => old.remove(),
        }
        crate::times::refresh();
        if let Some(first) = rows.first().and_then(dom::html) {
            let _ = first.focus();
        }
    });
}

/// The page's parts as they are now. The focus stays where it was, as far as that is still there.
pub async fn draw() {
    let Some(place) = dom::by_id("settings") else { return };
    // Of a session, its page says where.
    let from = place.get_attribute("data-from").unwrap_or_else(|| "/fragments/settings".to_owned());
    let Ok(html) = fragment::fetch(&from).await else { return };
    let Some(fresh) = fragment::parse(&html) else { return };
    swap(&place, &fresh);
    crate::times::refresh();
    show_notifications();
}

fn notify(on: bool) {
    wasm_bindgen_futures::spawn_local(async move {
        desktop::turn(on).await;
        show_notifications();
    });
}

/// The switch as this device has it, and why it may do nothing.
fn show_notifications() {
    let Some(switch) = dom::by_id("notifications").and_then(|e| e.dyn_into::<HtmlInputElement>().ok()) else { return };
    let state = desktop::state();
    switch.set_checked(state == State::On);
    let words = match state {
        State::Impossible => "The browser has none for pages that come over plain HTTP.",
        State::Refused => "The browser refuses notifications of this site: allow them in its settings.",
        State::Off | State::On => "On this device, while a page of Verbatim is open and not seen.",
    };
    if let Some(place) = dom::by_id("notifications-say") {
        place.set_text_content(Some(words));
    }
}
