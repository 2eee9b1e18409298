//! The notices of runs: a form for each, and one for a new one.

use super::{draw, problem_of, then_draw};
use api::contract::{RemoveNotice, SetNoticeEndpoint};
use app::browser::{dom, fragment};
use serde_json::{Value, json};
use web_sys::{FormData, HtmlFormElement};

/// Sends the form of a notice; false if it is another one.
pub fn submit(form: &HtmlFormElement) -> bool {
    let Some(name) = form.get_attribute("data-notice") else { return false };
    if let Ok(data) = FormData::new_with_form(form) {
        let text = |name: &str| data.get(name).as_string().unwrap_or_default();
        let name = if name.is_empty() { text("name").trim().to_owned() } else { name };
        save(form.clone(), name, json!({ "kind": text("kind"), "value": text("value") }));
    }
    true
}

/// Switches a notice on or off.
pub fn switch(name: &str, on: bool) {
    then_draw(fragment::ask(SetNoticeEndpoint, [name], json!({ "on": on })));
}

pub fn remove(name: &str) {
    then_draw(fragment::ask(RemoveNotice, [name], Value::Null));
}

fn save(form: HtmlFormElement, name: String, notice: Value) {
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::ask(SetNoticeEndpoint, [&name], notice).await {
            Ok(_) => {
                dom::announce("Saved");
                draw().await;
            }
            Err(problem) => problem_of(&form, Some(&problem.to_string())),
        }
    });
}
