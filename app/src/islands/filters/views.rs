//! Views of the list that are kept under a name. The names stand in the rail of every browser of this person.

use crate::islands::{dom, fragment, toast};
use api::{Method, Problem};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement, MouseEvent};

const PREFERENCES: &str = "/v1/preferences";

pub fn start() {
    let Some(place) = dom::by_id("save-view") else { return };
    dom::listen(&place, "submit", |event: Event| {
        event.prevent_default();
        let field = dom::by_id("view-name").and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
        let Some(name) = field.map(|field| field.value().trim().to_owned()).filter(|name| !name.is_empty()) else {
            return;
        };
        change(move |views| {
            views.retain(|view| view["name"] != name);
            views.push(json!({ "name": name, "query": dom::query() }));
        });
    });
    dom::listen(&place, "click", |event: MouseEvent| {
        let Some(button) = dom::closest(&event, "button[data-forget]") else { return };
        let name = button.get_attribute("data-forget").unwrap_or_default();
        change(move |views| views.retain(|view| view["name"] != name));
    });
}

/// Reads, changes, writes; the page is then drawn with the new list.
fn change(edit: impl FnOnce(&mut Vec<Value>) + 'static) {
    leptos::task::spawn_local(async move {
        match changed(edit).await {
            Ok(()) => dom::reload(),
            Err(problem) => toast::fail(&problem),
        }
    });
}

async fn changed(edit: impl FnOnce(&mut Vec<Value>)) -> Result<(), Problem> {
    let now = fragment::ask(Method::Get, PREFERENCES, Value::Null).await?;
    let mut views = now["views"].as_array().cloned().unwrap_or_default();
    edit(&mut views);
    fragment::ask(Method::Patch, PREFERENCES, json!({ "views": views })).await.map(drop)
}
