//! The channels of the settings page.

use super::{draw, problem_of, show_removed, then_draw};
use api::contract::{
    AddChannel, BindSessionEndpoint, EditChannelEndpoint, LeaveRoomEndpoint, RemoveChannel, SettleDeliveriesEndpoint,
    TestChannel, UnbindSession,
};
use app::browser::{dom, fragment, toast};
use app::shared::page_action::PageAction;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use web_sys::{Element, FormData, HtmlFormElement};

thread_local! {
    /// The channel that was removed last.
    static REMOVED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Does what a button of a channel says.
pub fn click(action: PageAction, button: &Element) {
    let channel = button.get_attribute("data-channel").unwrap_or_default();
    let edit = |change: Value| then_draw(fragment::ask(EditChannelEndpoint, [&channel], change));
    let settle =
        |action: &str| then_draw(fragment::ask(SettleDeliveriesEndpoint, [&channel], json!({ "action": action })));
    let session = button.get_attribute("data-session").unwrap_or_default();
    match action {
        PageAction::BindSession => {
            then_draw(fragment::ask(BindSessionEndpoint, [&channel], json!({ "session": session })));
        }
        PageAction::UnbindSession => then_draw(fragment::ask(UnbindSession, [&channel, &session], Value::Null)),
        PageAction::LeaveRoom => {
            let room = button.get_attribute("data-room").unwrap_or_default();
            then_draw(fragment::ask(LeaveRoomEndpoint, [], json!({ "channel": channel, "address": room })));
        }
        PageAction::PauseChannel => edit(json!({ "paused": true })),
        PageAction::ResumeChannel => edit(json!({ "paused": false })),
        PageAction::SendNow => settle("now"),
        PageAction::RetryRefused => settle("retry"),
        PageAction::ClearRefused => settle("clear"),
        PageAction::TestChannel => test(channel, button.clone()),
        PageAction::RemoveChannel => remove(channel, button.get_attribute("data-name").unwrap_or_default()),
        PageAction::RestoreChannel => restore(),
        _ => {}
    }
}

/// Sends a form of the channels; false if it is another one.
pub fn submit(form: &HtmlFormElement) -> bool {
    if let Some(kind) = form.get_attribute("data-channel-kind") {
        add(form.clone(), &kind);
    } else if let Some(channel) = form.get_attribute("data-channel-people") {
        save_people(form.clone(), channel);
    } else if let Some(room) = form.get_attribute("data-room") {
        register(form.clone(), room);
    } else {
        return false;
    }
    true
}

fn add(form: HtmlFormElement, kind: &str) {
    let Ok(data) = FormData::new_with_form(&form) else { return };
    let text = |name: &str| data.get(name).as_string().unwrap_or_default().trim().to_owned();
    let mut settings = Map::new();
    for input in dom::find_all(&form, "input[name^='setting.']") {
        let name = input.get_attribute("name").unwrap_or_default();
        if let Some(field) = name.strip_prefix("setting.") {
            settings.insert(field.to_owned(), text(&name).into());
        }
    }
    let people = match people(&text("people")) {
        Ok(people) => people,
        Err(words) => return problem_of(&form, Some(&words)),
    };
    let (name, session) = (text("name"), text("session"));
    let mut input =
        json!({ "kind": kind, "settings": settings, "people": people, "every_session": session.is_empty() });
    if !name.is_empty() {
        input["name"] = name.into();
    }
    if !session.is_empty() {
        input["sessions"] = json!([session]);
    }
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::ask(AddChannel, [], input).await {
            Ok(added) => {
                problem_of(&form, None);
                form.reset();
                if let Some(secret) = added["secret"].as_str() {
                    show_secret(secret);
                }
                dom::announce("Added");
                draw().await;
            }
            Err(problem) => problem_of(&form, Some(&problem.to_string())),
        }
    });
}

/// Reads lines of `address = name`.
fn people(text: &str) -> Result<Map<String, Value>, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .map(|line| match line.split_once('=') {
            Some((address, name)) => Ok((address.trim().to_owned(), Value::from(name.trim()))),
            None => Err(format!("\u{201c}{line}\u{201d} should be an address, = and a name")),
        })
        .collect()
}

fn save_people(form: HtmlFormElement, channel: String) {
    let Ok(data) = FormData::new_with_form(&form) else { return };
    let people = match people(&data.get("people").as_string().unwrap_or_default()) {
        Ok(people) => people,
        Err(words) => return problem_of(&form, Some(&words)),
    };
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::ask(EditChannelEndpoint, [&channel], json!({ "people": people })).await {
            Ok(_) => {
                dom::announce("Saved");
                draw().await;
            }
            Err(problem) => problem_of(&form, Some(&problem.to_string())),
        }
    });
}

/// Shows a session in a room that was heard of.
fn register(form: HtmlFormElement, room: String) {
    let Ok(data) = FormData::new_with_form(&form) else { return };
    let channel = form.get_attribute("data-channel").unwrap_or_default();
    let input = json!({ "session": data.get("session").as_string(), "place": room });
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::ask(BindSessionEndpoint, [&channel], input).await {
            Ok(_) => {
                dom::announce("Registered");
                draw().await;
            }
            Err(problem) => problem_of(&form, Some(&problem.to_string())),
        }
    });
}

fn show_secret(secret: &str) {
    let Some(place) = dom::by_id("channel-secret") else { return };
    if let Some(slot) = dom::find(&place, "[data-key]") {
        slot.set_text_content(Some(secret));
    }
    if let Some(button) = dom::find(&place, "button") {
        let _ = button.set_attribute("data-text", secret);
    }
    let _ = place.remove_attribute("hidden");
}

fn test(channel: String, button: Element) {
    let _ = button.toggle_attribute_with_force("disabled", true);
    wasm_bindgen_futures::spawn_local(async move {
        let answer: Result<Value, _> = fragment::ask(TestChannel, [&channel], Value::Null).await;
        let _ = button.toggle_attribute_with_force("disabled", false);
        match answer {
            Ok(_) => dom::announce("The channel took the test message"),
            Err(problem) => toast::fail(&problem),
        }
    });
}

fn remove(channel: String, name: String) {
    wasm_bindgen_futures::spawn_local(async move {
        let answer: Result<Value, _> = fragment::ask(RemoveChannel, [&channel], Value::Null).await;
        if let Err(problem) = answer {
            return toast::fail(&problem);
        }
        REMOVED.set(channel);
        show_removed("channel-removed", Some(&format!("{name} was removed. ")));
        draw().await;
    });
}

fn restore() {
    let channel = REMOVED.with_borrow(Clone::clone);
    show_removed("channel-removed", None);
    then_draw(fragment::ask(EditChannelEndpoint, [&channel], json!({ "removed": false })));
}
