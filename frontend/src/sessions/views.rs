//! Views of the list that are kept under a name. The names stand in the rail of every browser of this person.

use api::Problem;
use api::contract::{EditPreferencesEndpoint, GetPreferences};
use app::browser::{dom, fragment, toast};
use app::shared::attr;
use leptos::prelude::lazy;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement, MouseEvent};

pub fn start() {
    let Some(place) = dom::by_id("save-view") else { return };
    dom::listen(&place, "submit", |event: Event| {
        event.prevent_default();
        let field = dom::by_id("view-name").and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
        let Some(name) = field.map(|field| field.value().trim().to_owned()).filter(|name| !name.is_empty()) else {
            return;
        };
        wasm_bindgen_futures::spawn_local(change(name, Some(dom::query())));
    });
    dom::listen(&place, "click", |event: MouseEvent| {
        let Some(button) = dom::closest(&event, "button[data-forget]") else { return };
        let name = button.get_attribute(attr::FORGET).unwrap_or_default();
        wasm_bindgen_futures::spawn_local(change(name, None));
    });
}

/// Reads, changes, writes; the page is then drawn with the new list. A name without a query is forgotten.
#[lazy]
async fn change(name: String, query: Option<String>) {
    match changed(&name, query).await {
        Ok(()) => dom::reload(),
        Err(problem) => toast::fail(&problem),
    }
}

async fn changed(name: &str, query: Option<String>) -> Result<(), Problem> {
    let now = fragment::ask(GetPreferences, [], Value::Null).await?;
    let mut views = now["views"].as_array().cloned().unwrap_or_default();
    views.retain(|view| view["name"] != name);
    views.extend(query.map(|query| json!({ "name": name, "query": query })));
    fragment::ask(EditPreferencesEndpoint, [], json!({ "views": views })).await.map(drop)
}
