//! The settings page: keys of agents, devices, looks, shortcuts, names; and the page of a session's routing. Changes
//! are sent as they are made; the server then draws the page's parts anew.

mod passkey;
mod remap;

use crate::desktop::{self, State};
use crate::forms;
use crate::swap::swap;
use api::Problem;
use api::contract::{AddPasskey, BeginSingleSignOn, CreatePasskeyOptions, DeclareTypeEndpoint, GetType, RemoveType};
use api::endpoint::segment;
use app::browser::{dom, focus, fragment, session_pick, toast};
use app::shared::attr;
use app::shared::page_action::PageAction;
use app::shared::page_path;
use leptos::prelude::lazy;
use serde_json::{Value, json};
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlDialogElement, HtmlInputElement, MouseEvent};

thread_local! {
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
    forms::listen(&main, || wasm_bindgen_futures::spawn_local(draw()));
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
    remap::start();
    show_notifications();
}

fn click(action: PageAction, button: &Element) {
    match action {
        PageAction::CloseDialog => {
            let dialog = button.closest("dialog").ok().flatten();
            if let Some(dialog) = dialog.and_then(|d| d.dyn_into::<HtmlDialogElement>().ok()) {
                dialog.close();
            }
        }
        PageAction::AddAccount => add_account(),
        PageAction::AddPasskey => add_passkey(),
        PageAction::RemoveType => remove_type(button.get_attribute(attr::TYPE).unwrap_or_default()),
        PageAction::RestoreType => restore_type(),
        PageAction::OlderAudit => show_older(button),
        _ => {}
    }
}

fn change(input: &HtmlInputElement) {
    if input.has_attribute(attr::LOOK) {
        dom::set_look(&input.name(), &input.value());
    } else if input.id() == "single-keys" {
        remap::save(json!({ "single_keys": input.checked() }));
    } else if input.id() == "notify-me" {
        notify(input.checked());
    }
}

/// Lets the browser create a passkey, which logs in from then on.
fn add_passkey() {
    wasm_bindgen_futures::spawn_local(async {
        let label = dom::by_id("passkey-label").and_then(|e| e.dyn_into::<HtmlInputElement>().ok());
        let label = label.map(|input| input.value().trim().to_owned()).filter(|label| !label.is_empty());
        let added = async {
            let asked = fragment::ask(CreatePasskeyOptions, [], Value::Null).await?;
            let credential = passkey::create(&asked["options"]).await?;
            let label = label.unwrap_or_else(|| "This device".to_owned());
            fragment::ask(AddPasskey, [], json!({ "label": label, "credential": credential })).await
        };
        match added.await {
            Ok(_) => dom::announce("The passkey was added"),
            Err(problem) => return toast::fail(&problem),
        }
        draw().await;
    });
}

/// Leads to the provider, which leads back.
fn add_account() {
    wasm_bindgen_futures::spawn_local(async {
        match fragment::ask(BeginSingleSignOn, [], Value::Null).await {
            Ok(begun) => dom::go_to(begun["path"].as_str().unwrap_or(page_path::SETTINGS)),
            Err(problem) => toast::fail(&problem),
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
        show_removed(Some(&format!("The type {name} was removed. ")));
        draw().await;
    });
}

fn show_removed(words: Option<&str>) {
    let Some(place) = dom::by_id("type-removed") else { return };
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
        show_removed(None);
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
        format!("/fragments/settings/audit?after={}", segment(&button.get_attribute(attr::AFTER).unwrap_or_default()));
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
    // The page of a session has its own URL.
    let from = place.get_attribute(attr::FROM).unwrap_or_else(|| "/fragments/settings".to_owned());
    let Ok(html) = fragment::fetch(&from).await else { return };
    let Some(fresh) = fragment::parse(&html) else { return };
    swap(&place, &fresh);
    crate::times::refresh();
    show_notifications();
}

fn notify(on: bool) {
    wasm_bindgen_futures::spawn_local(async move {
        desktop::turn(on).await;
        draw().await;
    });
}

/// The switch as this device has it, and why it may do nothing.
fn show_notifications() {
    let Some(switch) = dom::by_id("notify-me").and_then(|e| e.dyn_into::<HtmlInputElement>().ok()) else { return };
    let state = desktop::state();
    switch.set_checked(state == State::On);
    let words = match state {
        State::Impossible => {
            "This browser has none here. Pages over plain HTTP have none; on an iPhone, add this page to the Home Screen first (Share, Add to Home Screen)."
        }
        State::Refused => "The browser refuses notifications of this site: allow them in its settings.",
        // The server draws the form where it may send some itself.
        State::On if dom::by_id("push").is_some() => "On this device, also while no page of Verbatim is open.",
        State::On => {
            "On this device, while a page of Verbatim is open in the background: its browser takes none from the server."
        }
        State::Off => "Also while no page of Verbatim is open, if the browser takes notifications from the server.",
    };
    if let Some(place) = dom::by_id("notify-say") {
        place.set_text_content(Some(words));
    }
}
