//! Another key for a command: press it, or two one after the other. Escape leaves it as it is, Backspace takes it away.

use super::draw;
use crate::keyboard;
use api::contract::{EditPreferencesEndpoint, GetPreferences};
use app::browser::{dom, fragment, toast};
use app::shared::attr;
use app::shared::chords::{is_modifier, is_whole, name_of, taken_by, with};
use app::shared::keymap::{Changed, readable};
use app::shared::latest::Latest;
use app::shared::page_action::PageAction;
use serde_json::{Value, json};
use std::cell::RefCell;
use web_sys::{Element, KeyboardEvent, MouseEvent};

/// Milliseconds that a second key may take.
const CHORD: i32 = 1_000;

thread_local! {
    /// The button whose command waits for a key, and the keys pressed so far.
    static WAITING: RefCell<Option<(Element, Vec<String>)>> = const { RefCell::new(None) };
    static TURN: Latest = const { Latest::new() };
}

pub fn start() {
    let (Some(main), Some(document)) = (dom::by_id("main"), dom::document()) else { return };
    dom::listen(&main, "click", |event: MouseEvent| match dom::action(&event) {
        Some((PageAction::ChangeKey, button)) => begin(button),
        Some((PageAction::UsualKeys, _)) => save(json!({ "keys": {} })),
        _ => {}
    });
    // On the way down: before the keys do what they mean now.
    dom::listen_down(&document, "keydown", |event: KeyboardEvent| {
        if WAITING.with_borrow(Option::is_none) {
            return;
        }
        event.prevent_default();
        event.stop_propagation();
        press(&event);
    });
}

fn show_hint(words: &str) {
    if let Some(place) = dom::by_id("keys-say") {
        place.set_text_content(Some(words));
    }
}

fn begin(button: Element) {
    listen(button);
    show_hint("Press the new key, or two in sequence. Escape cancels, Backspace removes the shortcut.");
}

fn listen(button: Element) {
    end();
    let _ = button.set_attribute(attr::SAID, "Press keys");
    WAITING.set(Some((button, Vec::new())));
}

fn end() {
    if let Some((button, _)) = WAITING.take() {
        let _ = button.remove_attribute(attr::SAID);
    }
    TURN.with(Latest::begin);
}

fn press(event: &KeyboardEvent) {
    let key = event.key();
    match key.as_str() {
        modifier if is_modifier(modifier) => return,
        "Escape" | "Tab" => {
            show_hint("");
            return end();
        }
        "Backspace" => return take(""),
        _ => {}
    }
    let name = name_of(&key, event.ctrl_key() || event.meta_key(), false, dom::lower);
    let pressed = WAITING.with_borrow_mut(|waiting| {
        let (_, pressed) = waiting.as_mut()?;
        pressed.push(name);
        Some(pressed.join(" "))
    });
    let Some(pressed) = pressed else { return };
    if is_whole(&pressed) {
        return take(&pressed);
    }
    let turn = TURN.with(Latest::begin);
    dom::after(CHORD, move || {
        if TURN.with(|latest| latest.is(turn)) {
            take(&pressed);
        }
    });
}

/// Gives the command its key, unless that belongs to another.
fn take(pressed: &str) {
    let Some((button, _)) = WAITING.with_borrow(Clone::clone) else { return };
    end();
    let Some(command) = button.get_attribute(attr::COMMAND) else { return };
    let pressed = pressed.to_owned();
    wasm_bindgen_futures::spawn_local(async move {
        let now = match fragment::ask(GetPreferences, [], Value::Null).await {
            Ok(now) => now,
            Err(problem) => return toast::fail(&problem),
        };
        let all = changed_keys(&now);
        if let Some(other) = taken_by(&pressed, &command, &all) {
            // Unless another command waits for its key by now.
            if WAITING.with_borrow(Option::is_none) {
                listen(button);
            }
            return show_hint(&format!("{} is already used: {}. Press another key", readable(&pressed), other.words));
        }
        show_hint("");
        let keys: serde_json::Map<String, Value> =
            with(all, command, pressed).into_iter().map(|(id, keys)| (id, keys.into())).collect();
        save(json!({ "keys": keys }));
    });
}

/// Commands with other keys than usual, of what the server says.
fn changed_keys(preferences: &Value) -> Changed {
    let keys = preferences["keys"].as_object();
    keys.into_iter().flatten().map(|(id, keys)| (id.clone(), keys.as_str().unwrap_or_default().to_owned())).collect()
}

/// Sends what changed; it holds on this page at once.
pub fn save(edit: Value) {
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::ask(EditPreferencesEndpoint, [], edit).await {
            Ok(now) => {
                keyboard::configure(now["single_keys"] != false, &changed_keys(&now));
                dom::announce("Saved");
                draw().await;
            }
            Err(problem) => toast::fail(&problem),
        }
    });
}
