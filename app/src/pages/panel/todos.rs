//! The todo list as it stands.

use super::nothing;
use crate::icon::{Glyph, Icon};
use crate::part::{Part, part};
use crate::shell::session_href;
use api::messages::TodoState;
use leptos::prelude::*;
use model::Session;
use serde_json::Value;

/// Items that the panel lists; the card in the transcript holds them all.
const MAX: usize = 100;

pub fn todos(session: &Session, state: &TodoState) -> Part {
    if state.todos.is_empty() {
        return nothing("No todo list. When the agent writes one, it stands here as it is now.");
    }
    let rows: Vec<_> = state.todos.iter().take(MAX).map(|todo| row(todo, state, session.registered)).collect();
    let left = state.todos.len().saturating_sub(MAX);
    let left = (left > 0).then(|| part! { <p class="cap panel-pad">{format!("{left} more in the transcript")}</p> });
    let done = state.todos.iter().filter(|todo| text(todo, "status") == "completed").count();
    let percent = done * 100 / state.todos.len();
    let link = state.seq.map(|seq| {
        let hash = state.message_id.as_ref().map(|id| format!("#m={}", api::client::segment(id))).unwrap_or_default();
        part! { <a class="link" data-seq=seq.to_string() href=format!("{}?at={seq}{hash}", session_href(session.id.as_str()))>"Latest update"</a> }
    });
    let bar = if percent == 100 { "done" } else { "working" };
    part! {
        <section>
            <p class="panel-line"><span class="num">{format!("{done} of {} done", state.todos.len())}</span>
                <span class="meter"><span class="bar-fill" data-state=bar style=format!("--v:{percent}")></span></span>
                <span class="sp"></span>{link}</p>
            <ul class="todos" role="list">{rows}</ul>
            {left}
        </section>
    }
}

fn row(todo: &Value, state: &TodoState, ticks: bool) -> Part {
    let info = state.todo_info.get(text(todo, "id")).map(|info| text(info, "state")).unwrap_or_default();
    let (class, tag, glyph, word) = match (info, text(todo, "status")) {
        ("cancelled", _) => ("is-cut", "idle", Glyph::Cut, "Cancelled"),
        ("blocked", _) => ("", "needs", Glyph::Needs, "Blocked"),
        (_, "completed") => ("is-done", "done", Glyph::Done, "Done"),
        (_, "in_progress") => ("is-now", "working", Glyph::Half, "In progress"),
        _ => ("", "idle", Glyph::Idle, "To do"),
    };
    if ticks && info != "cancelled" {
        let (content, done) = (text(todo, "content").to_owned(), text(todo, "status") == "completed");
        return part! {
            <li class=class data-state=tag>
                <input type="checkbox" class="tick done" data-tick=text(todo, "id").to_owned() checked=done aria-label=content.clone()/>
                <span>{content.clone()}</span>
            </li>
        };
    }
    part! { <li class=class data-state=tag><Icon glyph label=word/><span>{text(todo, "content").to_owned()}</span></li> }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
