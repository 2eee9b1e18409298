//! The form of routing: of the workspace on the settings page, of a session on its own.

use super::draw;
use api::Problem;
use api::contract::{SetRouting, SetSessionRouting};
use app::browser::toast::{self, Then};
use app::browser::{dom, fragment};
use serde_json::{Map, Value};
use web_sys::{Element, FormData, HtmlFormElement};

/// Sends the form of routing; false if it is another one.
pub fn submit(form: &HtmlFormElement) -> bool {
    let is_one = form.has_attribute("data-routing");
    if is_one {
        save(form.clone(), settings(form));
    }
    is_one
}

/// Forgets what is set here.
pub fn reset(button: &Element) {
    let form = button.closest("form").ok().flatten().and_then(|form| wasm_bindgen::JsCast::dyn_into(form).ok());
    if let Some(form) = form {
        save(form, Value::Object(Map::new()));
    }
}

/// What the form sets. A field that is empty is left to what applies elsewhere.
fn settings(form: &HtmlFormElement) -> Value {
    let mut settings = Map::new();
    let data = FormData::new_with_form(form).ok();
    for field in dom::find_all(form, "[name]") {
        let name = field.get_attribute("name").unwrap_or_default();
        let text = data.as_ref().and_then(|data| data.get(&name).as_string()).unwrap_or_default();
        let value = if field.has_attribute("data-lines") {
            let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            (!lines.is_empty() || field.has_attribute("data-empty")).then(|| Value::from(lines))
        } else {
            Some(text.trim()).filter(|text| !text.is_empty()).map(Value::from)
        };
        if let Some(value) = value {
            settings.insert(name, value);
        }
    }
    Value::Object(settings)
}

fn save(form: HtmlFormElement, settings: Value) {
    let session = form.get_attribute("data-routing").unwrap_or_default();
    wasm_bindgen_futures::spawn_local(async move {
        let answer = if session.is_empty() {
            fragment::ask(SetRouting, [], settings).await
        } else {
            fragment::ask(SetSessionRouting, [&session], settings).await
        };
        match answer {
            Ok(_) => {
                toast::show("Saved", Then::Nothing);
                draw().await;
            }
            Err(problem) => refuse(&form, &problem),
        }
    });
}

/// Says what is wrong, beside the field that it is about.
fn refuse(form: &HtmlFormElement, problem: &Problem) {
    for field in dom::find_all(form, "[name]") {
        let _ = field.remove_attribute("aria-invalid");
    }
    for said in dom::find_all(form, "[data-problem]") {
        let _ = said.toggle_attribute_with_force("hidden", true);
    }
    let pointer = problem.field.as_deref().unwrap_or_default().trim_start_matches('/');
    let (name, line) = pointer.split_once('/').unwrap_or((pointer, ""));
    let find = |attribute: &str, value: &str| {
        let all = dom::find_all(form, &format!("[{attribute}]"));
        all.into_iter().find(|it| it.get_attribute(attribute).as_deref() == Some(value))
    };
    let field = find("name", name);
    let words = match (&field, &problem.expected, line.parse::<usize>()) {
        (Some(_), Some(expected), Ok(index)) => format!("Line {} should be {expected}", index + 1),
        (Some(_), Some(expected), Err(_)) => format!("This should be {expected}"),
        _ => problem.to_string(),
    };
    if let Some(said) = find("data-problem", if field.is_some() { name } else { "" }) {
        said.set_text_content(Some(&words));
        let _ = said.remove_attribute("hidden");
    }
    if let Some(field) = field {
        let _ = field.set_attribute("aria-invalid", "true");
        if let Some(field) = dom::html(&field) {
            let _ = field.focus();
        }
    }
}
