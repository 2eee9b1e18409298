//! The todo list as it stands.

use super::nothing;
use crate::icon::{Glyph, Icon};
use crate::message::todo::{now, tick_box};
use crate::part::{Part, part};
use crate::shared::session_href;
use crate::time_text::duration;
use crate::visible;
use api::messages::TodoState;
use leptos::prelude::*;
use model::Session;
use model::envelope::TodoInfoState;
use model::message_type::todo::{TodoItem, TodoProgress, TodoStatus};

/// Items that the panel lists; the card in the transcript holds them all.
const MAX: usize = 100;

pub fn todos(session: &Session, state: &TodoState) -> Part {
    if state.todos.is_empty() {
        return nothing("No todo list. When the agent writes one, its current state is shown here.");
    }
    let rows: Vec<_> = state.todos.iter().take(MAX).map(|todo| row(todo, state, session.registered)).collect();
    let left = state.todos.len().saturating_sub(MAX);
    let left = (left > 0).then(|| part! { <p class="cap panel-pad">{format!("{left} more in the transcript")}</p> });
    let progress = TodoProgress::of(&state.todos, &state.todo_info);
    let percent = progress.percent();
    let link = state.seq.map(|seq| {
        let hash = state.message_id.as_ref().map(|id| format!("#m={}", api::endpoint::segment(id))).unwrap_or_default();
        part! { <a class="link" data-seq=seq.to_string() href=format!("{}?at={seq}{hash}", session_href(session.id.as_str()))>"Latest update"</a> }
    });
    let bar = if percent == 100 { "done" } else { "working" };
    part! {
        <section>
            <p class="panel-line"><span class="num">{format!("{} of {} done{}", progress.done, progress.whole(), progress.besides())}</span>
                <span class="meter"><span class="bar-fill" data-state=bar style=format!("--v:{percent}")></span></span>
                <span class="sp"></span>{link}</p>
            <fieldset data-asks="" role="none"><ul class="todos" role="list">{rows}</ul></fieldset>
            {left}
        </section>
    }
}

fn row(todo: &TodoItem, state: &TodoState, ticks: bool) -> Part {
    let info = state.todo_info.get(&todo.id).and_then(|info| info.state);
    let (class, tag, glyph, word) = match (info, todo.status) {
        (Some(TodoInfoState::Cancelled), _) => ("is-cut", "idle", Glyph::CUT, "Cancelled"),
        (Some(TodoInfoState::Blocked), _) => ("", "needs", Glyph::NEEDS, "Blocked"),
        (_, TodoStatus::Completed) => ("is-done", "done", Glyph::DONE, "Done"),
        (_, TodoStatus::InProgress) => ("is-now", "working", Glyph::HALF, "In progress"),
        (_, TodoStatus::Pending) => ("", "idle", Glyph::IDLE, "To do"),
    };
    let content = || visible::phrase(&todo.content).into_view();
    let times = state.todo_info.get(&todo.id).and_then(|info| Some((info.started_at?, info.ended_at?)));
    let time = times.map(|(from, to)| to.since(from)).filter(|took| *took > 0);
    let time = time.map(|took| part! { <span class="cap num">{duration(took)}</span> });
    if ticks && info != Some(TodoInfoState::Cancelled) {
        return part! {
            <li class=class data-state=tag>{tick_box(todo)}<span>{content()}</span>{now(todo.status)}{time}</li>
        };
    }
    part! { <li class=class data-state=tag><Icon glyph label=word/><span>{content()}</span>{now(todo.status)}{time}</li> }
}
