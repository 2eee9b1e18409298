//! What the form does in the browser.

use super::Form;
use crate::browser::{dom, fragment};
use crate::shared::session_href;
use api::Nothing;
use api::contract::StartAgentEndpoint;
use api::driving::StartAgent;
use leptos::prelude::*;

/// The fields that say themselves what is wrong with them.
const FIELDS: [&str; 4] = ["/agent", "/folder", "/prompt", "/mode"];

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
            Ok(started) => dom::go_to(&session_href(&started.agent.session)),
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
