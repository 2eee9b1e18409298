//! The browser's part of the composer.

use crate::shared::attr;
use super::{Composing, Outgoing, Unsent, files, has};
use crate::browser::page_state::page_state;
use crate::browser::{dom, fragment, storage, toast};
use crate::shared::events::Link;
use api::Problem;
use api::contract::PostMessageEndpoint;
use api::json as text;
use api::posting::PostMessage;
use api::sessions::SessionPath;
use leptos::prelude::*;
use model::MessageType;
use model::message_type::file::{FileItem, FileState};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::cell::Cell;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlTextAreaElement, StorageEvent};

/// A message that is being sent.
#[derive(Serialize, Deserialize)]
struct Kept {
    text: String,
    files: Vec<FileItem>,
    #[serde(default)]
    reply_to: Option<String>,
    #[serde(default)]
    at: f64,
}

/// Milliseconds until what found no server is sent again: at first, and at most.
const FIRST_PAUSE: i32 = 1_000;
const LONGEST_PAUSE: i32 = 30_000;

/// Problem code if somebody else has answered the question.
const ANSWERED: &str = "answered";

/// Takes up the draft of an earlier page, and what was on its way when that was left.
pub fn start(state: Composing, shown: NodeRef<leptos::html::Div>) {
    // Text that was typed before hydration is newer than any draft.
    let typed = dom::by_id("say").and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok());
    let typed = typed.map(|field| field.value()).filter(|text| !text.is_empty());
    let draft = typed.or_else(|| storage::get(&key(state)));
    let unsent = unsent(state);
    // After the island took over what the server drew, which knows of neither.
    dom::next_frame(move || {
        if let Some(draft) = draft {
            state.text.update(|text| text.insert_str(0, &draft));
            keep(state);
        }
        files::restore(state);
        if !unsent.is_empty() {
            state.outgoing.update(|all| all.extend(unsent));
            go_on(state);
        }
    });
    files::listen(state);
    let (link, was_live) = (page_state().link, Cell::new(true));
    link.clone().follow(move || {
        let live = link.get() == Link::Live;
        if live && !was_live.replace(live) {
            once_more(state);
        }
        was_live.set(live);
    });
    if let Some(window) = dom::window() {
        dom::listen(&window, "online", move |_: Event| once_more(state));
        dom::listen(&window, "storage", move |event: StorageEvent| adopt(state, &event));
    }
    Effect::new(move |_| {
        if let (Some(element), Some(html)) = (shown.get(), state.preview.get()) {
            fragment::fill(&element, &html);
        }
    });
}

/// Follows the draft of another tab when that went on or was sent, unless it says something else by now. What another
/// tab delivered needn't be sent again.
fn adopt(state: Composing, event: &StorageEvent) {
    let key_of = sending(state, "");
    let delivered = event.key().filter(|_| event.new_value().is_none());
    if let Some(id) = delivered.as_deref().and_then(|key| key.strip_prefix(&key_of)) {
        state.outgoing.update(|all| all.retain(|message| message.id != id || message.problem.is_none()));
    }
    if event.key() == Some(key(state)) && state.text.get_untracked() == event.old_value().unwrap_or_default() {
        state.text.set(event.new_value().unwrap_or_default());
        state.preview.set(None);
    }
}

fn key(state: Composing) -> String {
    format!("draft:{}", state.session.get_value())
}

/// Messages that a page was left with, as they were written. Under the same ids they can be sent again: what came is
/// known.
fn unsent(state: Composing) -> Vec<Outgoing> {
    let message = |id: String| {
        let Kept { text, files, reply_to, at } = text::read(storage::get(&sending(state, &id))?.as_bytes()).ok()?;
        Some(Outgoing { id, text, files, reply_to, at, problem: None })
    };
    let mut unsent: Vec<Outgoing> = storage::below(&sending(state, "")).into_iter().filter_map(message).collect();
    unsent.sort_by(|one, other| one.at.total_cmp(&other.at));
    unsent
}

fn sending(state: Composing, id: &str) -> String {
    format!("sending:{}:{id}", state.session.get_value())
}

/// A message was delivered, or is given up.
pub fn done(state: Composing, id: &str) {
    state.outgoing.update(|all| all.retain(|message| message.id != id));
    storage::set(&sending(state, id), None);
}

/// Keeps the draft for the next page.
pub fn keep(state: Composing) {
    let text = state.text.get_untracked();
    storage::set(&key(state), Some(&*text).filter(|text| !text.is_empty()));
}

pub fn send(state: Composing) {
    let text = state.text.get_untracked();
    if state.attached.with_untracked(|all| has(all, FileState::Processing)) {
        return dom::announce("Files are still being uploaded");
    }
    let files = files::ready(state);
    if (model::text::is_blank(&text) && files.is_empty()) || dom::kept_at().is_some() {
        return;
    }
    let reply_to = question().filter(|question| state.answered.get_value().as_ref() != Some(question));
    if reply_to.is_some() {
        state.answered.set_value(reply_to.clone());
    }
    let last = state.outgoing.with_untracked(|all| all.last().map_or(0.0, |last| last.at));
    let at = js_sys::Date::now().max(last + 1.0);
    let message = Outgoing { id: new_id(), text, files, reply_to, at, problem: None };
    keep_outgoing(state, &message);
    files::sent(state);
    state.text.set(String::new());
    state.preview.set(None);
    keep(state);
    state.outgoing.update(|all| all.push(message));
    if let Some(field) = dom::by_id("say").as_ref().and_then(dom::html) {
        let _ = field.focus();
    }
    page_state().go_to_end();
    once_more(state);
}

fn keep_outgoing(state: Composing, message: &Outgoing) {
    let Outgoing { id, text, files, reply_to, at, .. } = message.clone();
    storage::set(&sending(state, &id), text::write(&Kept { text, files, reply_to, at }).ok().as_deref());
}

/// The question that waits for words: the last one that is shown, with nothing written by a person since.
fn question() -> Option<String> {
    let root = dom::document()?.document_element()?;
    let last = dom::find_all(&root, "article[id][data-question],article[id][data-answer]").pop()?;
    last.get_attribute(attr::ID).filter(|_| last.has_attribute(attr::QUESTION))
}

/// Sends a message once more, under the same id. Those that were lost before it go first.
pub fn resend(state: Composing, id: &str) {
    state.outgoing.update(|all| {
        for message in all.iter_mut().filter(|message| message.id == id) {
            message.problem = None;
            keep_outgoing(state, message);
        }
    });
    once_more(state);
}

/// Sends what found no server.
fn once_more(state: Composing) {
    let lost = |message: &Outgoing| message.problem.as_ref().is_some_and(|problem| problem.lost);
    if state.outgoing.with_untracked(|all| all.iter().any(lost)) {
        state.outgoing.update(|all| all.iter_mut().filter(|message| lost(message)).for_each(|it| it.problem = None));
    }
    go_on(state);
}

/// Sends what found no server again after a while, each time a longer one. Where the event stream is gone as well, its
/// return is the sign.
fn try_later(state: Composing) {
    let (tries, waits) = state.retry.get_value();
    if waits {
        return;
    }
    state.retry.set_value((tries.saturating_add(1), true));
    let pause = FIRST_PAUSE.saturating_mul(1 << tries.min(5)).min(LONGEST_PAUSE);
    dom::after(pause, move || {
        state.retry.update_value(|(_, waits)| *waits = false);
        if page_state().is_live() {
            once_more(state);
        }
    });
}

/// Sends one after the other, as they were written. What was refused stands, and is passed by; where the server isn't
/// there, all that follow wait for it too.
fn go_on(state: Composing) {
    let next = state.outgoing.with_untracked(|all| all.iter().find(|message| message.problem.is_none()).cloned());
    let Some(message) = next.filter(|_| !state.sending.get_value()) else { return };
    state.sending.set_value(true);
    wasm_bindgen_futures::spawn_local(async move {
        let sent = deliver(state, &message).await;
        state.sending.set_value(false);
        match sent {
            Ok(()) => {
                state.retry.update_value(|(tries, _)| *tries = 0);
                done(state, &message.id);
            }
            Err(problem) => {
                let lost = problem.status == 0 || problem.status == 429 || problem.status >= 500;
                if lost {
                    try_later(state);
                }
                let unsent = Unsent { words: format!("Not sent: {}", problem.title), lost };
                state.outgoing.update(|all| {
                    let held = |other: &&mut Outgoing| other.id == message.id || (lost && other.problem.is_none());
                    for other in all.iter_mut().filter(held) {
                        other.problem = Some(unsent.clone());
                        if problem.code == ANSWERED {
                            // Sent again, it is one more message to the agent.
                            other.reply_to = None;
                        }
                    }
                });
            }
        }
        go_on(state);
    });
}

async fn deliver(state: Composing, message: &Outgoing) -> Result<(), Problem> {
    let Outgoing { id, text, files, reply_to, .. } = message.clone();
    let path = SessionPath { session: state.session.get_value() };
    let files = serde_json::to_value(&files).ok().filter(|_| !files.is_empty());
    let post = PostMessage {
        id: Some(id),
        reply_to,
        content: Some(text).filter(|text| !model::text::is_blank(text)),
        message_metadata: files
            .map(|files| json!({ "message_type": MessageType::File.as_str(), "payload": { "files": files } })),
        ..PostMessage::default()
    };
    fragment::client().tell::<PostMessageEndpoint>(path, post).await
}

/// Shows the text as the transcript will, or goes back to writing.
pub fn preview(state: Composing) {
    if state.preview.with_untracked(Option::is_some) {
        state.preview.set(None);
        return;
    }
    let text = state.text.get_untracked();
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::render(&text).await {
            Ok(html) => state.preview.set(Some(html)),
            Err(problem) => toast::fail(&problem),
        }
    });
}

/// A UUID of 122 random bits: an agent that was started here keeps it as the id of its prompt. Without a source of
/// them, the clock.
fn new_id() -> String {
    let mut bytes = [0_u8; 16];
    let filled = dom::window()
        .and_then(|window| window.crypto().ok())
        .is_some_and(|crypto| crypto.get_random_values_with_u8_array(&mut bytes).is_ok());
    if !filled {
        return format!("web-{}", js_sys::Date::now());
    }
    let [_, _, _, _, _, _, version, _, variant, ..] = &mut bytes;
    (*version, *variant) = (*version & 0x0f | 0x40, *variant & 0x3f | 0x80);
    let dash = |index: usize| if matches!(index, 4 | 6 | 8 | 10) { "-" } else { "" };
    bytes.iter().enumerate().fold(String::new(), |id, (index, byte)| format!("{id}{}{byte:02x}", dash(index)))
}
