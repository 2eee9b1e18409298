//! TODO: a checklist. The newest one is open, older ones fold to a line, a person's tick is a line of theirs.

pub(crate) mod changes;

use super::{
    Card,
    parts::{Acts, Folded, ShowAll, TextButton},
};
use crate::clock::{Clock, moment};
use crate::icon::{Glyph, Icon, Size};
use crate::shared::page_action::PageAction;
use crate::time_text::duration;
use crate::visible;
use leptos::prelude::*;
use model::{
    Role,
    envelope::{TodoInfo, TodoInfoState},
    message_type::todo::{self, TodoItem, TodoProgress, TodoStatus},
    todo_state::TodoState as Plan,
};

/// Items drawn until all are asked for.
const MAX_ITEMS: usize = 60;

#[component]
pub fn Todo(card: Card, todo: todo::Todo) -> impl IntoView {
    if card.draft().role == Role::User { tick(card, &todo).into_any() } else { list(card, todo).into_any() }
}

/// Draws a person's ticks.
fn tick(card: Card, todo: &todo::Todo) -> impl IntoView {
    let class = format!("{} action", card.voice_class());
    let ticks = card.draft().is_tick().then_some("");
    view! {
        <div class=class data-ticks=ticks>
            <Icon glyph=Glyph::CHECK size=Size::Small />
            <span class="lines">{visible::html(&todo.ticked()).into_view()}</span>
            <Acts card />
        </div>
    }
}

/// The list as its message has it; the newest one with what people ticked since: its own record stays as the agent
/// wrote it.
fn as_it_stands(card: &Card, todo: todo::Todo) -> Plan {
    let mut plan = Plan::new(todo, card.draft().metadata.as_ref());
    if card.options.newest_todo == Some(card.entry.message.seq) {
        for item in &mut plan.items {
            if let Some(now) = card.options.todos_now.todos.iter().find(|now| now.id == item.id) {
                item.status = now.status;
            }
        }
    }
    plan
}

fn list(card: Card, todo: todo::Todo) -> impl IntoView {
    let plan = &as_it_stands(&card, todo);
    let progress = card.options.progress(card.entry.message.seq, plan);
    let superseded = card.options.newest_todo.is_some_and(|newest| newest != card.entry.message.seq);
    let share = progress.percent();
    let now = plan.items.iter().find(|item| item.status == TodoStatus::InProgress && !plan.is_cancelled(item));
    let note = match now {
        _ if superseded => changes::words(&card, plan).unwrap_or_else(|| changes::UNCHANGED.to_owned()),
        Some(item) => format!("Now: {}", item.content),
        None if progress.open == 0 => "all done".to_owned(),
        None => String::new(),
    };
    let folded = superseded && card.at_a_glance();
    let body = if folded {
        view! { <Folded text=plan.to_markdown() /> }.into_any()
    } else {
        let (line, list) = changes::news(&card, plan);
        view! {
            {items(&card, plan)}
            {list}
            <footer>
                <span class="cut">{(!superseded).then_some(line)}</span>
                <span class="sp"></span>
                <TextButton action=PageAction::Copy label="Copy".to_owned() />
            </footer>
        }
        .into_any()
    };
    // Which ones are done, for a page that compares: ticks change nothing else of the row.
    let ticked = (!superseded).then(|| {
        let done = plan.items.iter().filter(|item| item.status == TodoStatus::Completed);
        done.map(|item| item.id.as_str()).collect::<Vec<_>>().join(" ")
    });
    let class = if superseded { "card tool plan" } else { "card plan" };
    let state = if progress.open == 0 { "done" } else { "working" };
    let count = count(progress);
    view! {
        <details class=class data-state=state data-folded=folded.then_some("") data-done=ticked open=!superseded>
            <summary>
                <Icon glyph=Glyph::LIST />
                <b>"Plan"</b>
                {(!superseded)
                    .then(|| {
                        view! {
                            <span class="num">{count.clone()}</span>
                            <span class="meter hide-narrow">
                                <span class="bar-fill" style=format!("--v:{share}")></span>
                            </span>
                        }
                    })}
                <span class="cut mut">{visible::phrase(&note).into_view()}</span>
                {superseded.then(|| view! { <span class="cap num">{count}</span> })}
            </summary>
            {body}
        </details>
    }
}

/// `1 of 2, 1 cancelled`.
pub(crate) fn count(progress: TodoProgress) -> String {
    format!("{} of {}{}", progress.done, progress.whole(), progress.besides())
}

/// The items alone.
fn items(card: &Card, plan: &Plan) -> AnyView {
    let clock = Clock::utc(card.options.now);
    let max = if card.whole() { usize::MAX } else { MAX_ITEMS };
    let progress = card.options.progress(card.entry.message.seq, plan);
    let left = (progress.whole() + progress.cancelled).saturating_sub(max);
    let ticks = can_be_ticked(card);
    let row = |entry| item(&clock, entry, plan.info.get(&entry.id), ticks);
    let rows: Vec<_> = plan.items.iter().take(max).map(row).collect();
    let rows = view! { <ul class="todos" role="list">{rows}</ul> };
    let rows =
        if ticks { view! { <fieldset data-asks="" role="none">{rows}</fieldset> }.into_any() } else { rows.into_any() };
    view! {
        {rows}
        {(left > 0).then(|| view! { <ShowAll label=format!("Show {left} more") /> })}
    }
    .into_any()
}

/// The list as it stands now, of an agent that learns of it.
fn can_be_ticked(card: &Card) -> bool {
    let options = &card.options;
    options.answers && options.newest_todo == Some(card.entry.message.seq)
}

/// A box for an item of the list. `frontend/src/decisions.rs` sends its ticks.
pub(crate) fn tick_box(item: &TodoItem) -> impl IntoView + use<> {
    let done = item.status == TodoStatus::Completed;
    // An item in progress has a half-filled box.
    let (class, label) = match item.status {
        TodoStatus::InProgress => ("tick done half", format!("{}, in progress", item.content)),
        TodoStatus::Pending | TodoStatus::Completed => ("tick done", item.content.clone()),
    };
    view! { <input type="checkbox" class=class data-tick=item.id.clone() checked=done aria-label=label /> }
}

/// Said in a word beside the box.
pub(crate) fn now(status: TodoStatus) -> Option<impl IntoView> {
    (status == TodoStatus::InProgress).then(|| view! { <span class="chip" data-state="working">"In progress"</span> })
}

/// One item: its state is an icon with a word, the text is struck through when nothing is left to do.
fn item(clock: &Clock, item: &TodoItem, info: Option<&TodoInfo>, ticks: bool) -> AnyView {
    let said = info.and_then(|info| info.state);
    let (class, glyph, word) = match (said, item.status) {
        (Some(TodoInfoState::Cancelled), _) => ("is-cut", Glyph::CUT, "Cancelled"),
        (Some(TodoInfoState::Deleted), _) => ("is-cut", Glyph::TRASH, "Removed"),
        (Some(TodoInfoState::Blocked), _) => ("is-blocked", Glyph::LOCK, "Blocked"),
        (None, TodoStatus::Completed) => ("is-done", Glyph::DONE, "Done"),
        (None, TodoStatus::InProgress) => ("is-now", Glyph::HALF, "In progress"),
        (None, TodoStatus::Pending) => ("", Glyph::IDLE, "Open"),
    };
    let state = match class {
        "is-now" => Some("working"),
        "is-done" => Some("done"),
        "is-blocked" => Some("stalled"),
        _ => None,
    };
    let note = match class {
        "is-cut" => Some(word.to_lowercase()),
        "is-blocked" => Some(waits_for(info)),
        _ => None,
    };
    let number = info.and_then(|info| info.number.as_deref()).map(|number| format!("#{number}"));
    let owner = info.and_then(|info| info.owner.clone());
    let priority = info.and_then(|info| info.priority.clone()).filter(|priority| priority == "high");
    let took = info.and_then(|info| Some(info.ended_at?.since(info.started_at?))).filter(|took| *took > 0);
    let began = info.filter(|info| class == "is-now" && info.ended_at.is_none()).and_then(|info| info.started_at);
    let ticks = ticks && class != "is-cut";
    let state_of_it = if ticks { tick_box(item).into_any() } else { view! { <Icon glyph label=word /> }.into_any() };
    view! {
        <li class=class data-state=state>
            {state_of_it}
            {number.map(|number| view! { <span class="cap num">{visible::html(&number).into_view()}</span> })}
            <span>{visible::phrase(&item.content).into_view()}</span>
            {owner.map(|owner| view! { <span class="cap" title="Working on it">{visible::html(&owner).into_view()}</span> })}
            {ticks.then(|| now(item.status))}
            {priority.map(|priority| view! { <span class="cap">{priority}</span> })}
            {note.map(|note| view! { <span class="cap">{note}</span> })}
            {took.map(|took| view! { <span class="cap num">{duration(took)}</span> })}
            {began.map(|at| moment(clock, at, "cap num"))}
        </li>
    }
    .into_any()
}

/// Returns the items that must be completed before an item.
fn waits_for(info: Option<&TodoInfo>) -> String {
    match info.map(|info| info.blocked_by.as_slice()).unwrap_or_default() {
        [] => "blocked".to_owned(),
        ids => format!("waits for {}", ids.iter().map(|id| format!("#{id}")).collect::<Vec<_>>().join(", ")),
    }
}
