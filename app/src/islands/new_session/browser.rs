//! The browser's part of the form.

use super::Form;
use crate::browser::{dom, fragment, storage};
use crate::shared::session_href;
use api::Nothing;
use api::contract::StartAgentEndpoint;
use api::driving::StartAgent;
use api::json as text;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use web_sys::KeyboardEvent;

/// Where the draft is kept. No session has this name.
const DRAFT: &str = "draft:/sessions/new";

/// The folder and the prompt that a person typed and didn't send.
#[derive(Serialize, Deserialize)]
struct Draft {
    folder: String,
    prompt: String,
}

/// The fields that say themselves what is wrong with them.
const FIELDS: [&str; 4] = ["/agent", "/folder", "/prompt", "/mode"];

/// Takes up the draft of an earlier page, keeps it for the next one, and goes back with Escape.
pub fn follow(form: Form) {
    let draft = storage::get(DRAFT).and_then(|kept| text::read::<Draft>(kept.as_bytes()).ok());
    // After the island took over what the server drew, which knows of no draft.
    dom::next_frame(move || {
        // A prompt that was typed meanwhile is newer than the draft.
        if let Some(Draft { folder, prompt }) = draft.filter(|_| form.prompt.with_untracked(String::is_empty)) {
            form.folder.set(folder);
            form.prompt.set(prompt);
        }
        Effect::new(move || {
            let (folder, prompt) = (form.folder.get(), form.prompt.get());
            let is_empty = model::text::is_blank(&prompt);
            let kept = if is_empty { None } else { text::write(&Draft { folder, prompt }).ok() };
            storage::set(DRAFT, kept.as_deref());
        });
    });
    let Some(document) = dom::document() else { return };
    dom::listen(&document, "keydown", move |event: KeyboardEvent| {
        let is_escape =
            event.key() == "Escape" && !event.is_composing() && !event.repeat() && !event.default_prevented();
        // One that closes something does no more.
        let is_open = |root| dom::find(&root, "dialog[open], :popover-open").is_some();
        let closes = dom::document().and_then(|document| document.document_element()).is_some_and(is_open);
        if is_escape && !closes && !form.busy.get_untracked() {
            go_back();
        }
    });
}

/// Goes to the page before, if that is one of ours, and else to the list.
pub fn go_back() {
    let Some(window) = dom::window() else { return };
    let of = |object: &JsValue, name: &str| js_sys::Reflect::get(object, &JsValue::from_str(name)).ok();
    let can = of(&window, "navigation").and_then(|ours| of(&ours, "canGoBack")).and_then(|can| can.as_bool());
    match window.history().ok().filter(|_| can == Some(true)) {
        Some(history) => drop(history.back()),
        None => dom::go_to("/"),
    }
}

/// Starts the agent, and goes to its session.
pub fn start(form: Form) {
    if form.busy.get_untracked() {
        return;
    }
    let given = |text: String| Some(text).filter(|text| !model::text::is_blank(text));
    let input = StartAgent {
        agent: form.agent.get_untracked(),
        folder: form.folder.get_untracked().trim().to_owned(),
        prompt: given(form.prompt.get_untracked()),
        mode: given(form.mode.get_untracked()),
        model: None,
    };
    form.busy.set(true);
    form.problem.set(None);
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::client().call::<StartAgentEndpoint>(Nothing {}, input).await {
            Ok(started) => {
                storage::set(DRAFT, None);
                dom::go_to(&session_href(&started.agent.session));
            }
            Err(problem) => {
                form.busy.set(false);
                let field = problem.field.clone().filter(|field| FIELDS.contains(&field.as_str())).unwrap_or_default();
                let hint = problem.hint.map_or_else(String::new, |hint| format!(". {hint}"));
                let id = field.replace('/', "new-");
                form.problem.set(Some((field, format!("{}{hint}", problem.title))));
                if let Some(field) = dom::by_id(&id).as_ref().and_then(dom::html) {
                    let _ = field.focus();
                }
            }
        }
    });
}
