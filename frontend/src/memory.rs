//! The page of memories: forgetting them, and having their vectors made anew.

use api::Problem;
use api::contract::{EmbedMemory, ForgetMemoryEndpoint};
use app::browser::{dom, fragment, toast};
use app::shared::page_action::PageAction;
use leptos::prelude::lazy;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlDialogElement};

/// Listens to the page of memories.
#[lazy]
pub async fn memory() {
    start();
}

fn start() {
    let Some(main) = dom::by_id("main") else { return };
    dom::listen(&main, "click", |event: Event| match dom::action(&event) {
        Some((PageAction::ForgetMemory, button)) => forget(&button),
        Some((PageAction::ForgetMemories, _)) => {
            if let Some(dialog) = dialog() {
                dialog.set_return_value("");
                let _ = dialog.show_modal();
            }
        }
        Some((PageAction::EmbedMemory, _)) => then(fragment::ask(EmbedMemory, [], Value::Null), dom::reload),
        _ => {}
    });
    if let Some(dialog) = dialog() {
        let asked = dialog.clone();
        dom::listen(&dialog, "close", move |_: Event| {
            if asked.return_value() == "forget" {
                then(fragment::ask(ForgetMemoryEndpoint, [], json!({ "all": true })), dom::reload);
            }
        });
    }
}

fn dialog() -> Option<HtmlDialogElement> {
    dom::by_id("forget-all")?.dyn_into().ok()
}

/// Forgets the memory of a button. Its row goes; the focus goes to the next one.
fn forget(button: &Element) {
    let Some(row) = button.closest(".memory").ok().flatten() else { return };
    let of = |name: &str| row.get_attribute(name).unwrap_or_default();
    let asked = json!({ "session": of("data-session"), "message": of("data-message") });
    then(fragment::ask(ForgetMemoryEndpoint, [], asked), move || {
        let beside = row.next_element_sibling().or_else(|| row.previous_element_sibling());
        row.remove();
        dom::announce("Forgotten");
        match beside.and_then(|row| dom::find(&row, "button")) {
            Some(next) => {
                if let Some(next) = dom::html(&next) {
                    let _ = next.focus();
                }
            }
            // The last one is gone: the server says so.
            None => dom::reload(),
        }
    });
}

/// Waits for an answer, and goes on; a refusal is shown.
fn then(answer: impl Future<Output = Result<Value, Problem>> + 'static, go_on: impl FnOnce() + 'static) {
    wasm_bindgen_futures::spawn_local(async move {
        match answer.await {
            Ok(_) => go_on(),
            Err(problem) => toast::fail(&problem),
        }
    });
}
