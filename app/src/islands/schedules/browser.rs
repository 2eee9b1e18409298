//! The browser's part of the form and the buttons.

use super::{Form, Row, Wish};
use crate::browser::{dom, fragment, session_pick};
use api::contract::{CreateSchedule, EditScheduleEndpoint, RemoveSchedule, RestoreSchedule, RunSchedule};
use api::schedules::{EditSchedule, NewSchedule, SchedulePath};
use api::{Nothing, Problem};
use leptos::prelude::*;

/// The fields that say themselves what is wrong with them.
const FIELDS: [&str; 5] = ["/session", "/prompt", "/cron", "/at", "/zone"];

/// Lets the form find sessions.
pub fn follow(drawn: NodeRef<leptos::html::Form>) {
    Effect::new(move || {
        if let Some(drawn) = drawn.get() {
            session_pick::listen(&drawn);
        }
    });
}

/// Makes the schedule, and draws the list anew.
pub fn create(form: Form) {
    if form.busy.get_untracked() {
        return;
    }
    let is_once = form.kind.with_untracked(|kind| kind == "at");
    let given = |text: String| Some(text).filter(|text| !text.trim().is_empty());
    let input = NewSchedule {
        session: form.session.get_untracked(),
        prompt: form.prompt.get_untracked(),
        at: given(form.at.get_untracked()).filter(|_| is_once),
        cron: given(form.cron.get_untracked()).filter(|_| !is_once),
        zone: given(form.zone.get_untracked()),
    };
    form.busy.set(true);
    form.problem.set(None);
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::client().tell::<CreateSchedule>(Nothing {}, input).await {
            Ok(()) => dom::reload(),
            Err(problem) => {
                form.busy.set(false);
                let mut field = problem.field.clone().filter(|it| FIELDS.contains(&it.as_str())).unwrap_or_default();
                if is_once && field == "/cron" {
                    "/at".clone_into(&mut field);
                }
                let id = field.replace('/', "schedule-");
                form.problem.set(Some((field, words(&problem))));
                if let Some(field) = dom::by_id(&id).as_ref().and_then(dom::html) {
                    let _ = field.focus();
                }
            }
        }
    });
}

fn words(problem: &Problem) -> String {
    let hint = problem.hint.as_ref().map_or_else(String::new, |hint| format!(". {hint}"));
    format!("{}{hint}", problem.title)
}

/// Does what a button says. A removed row stays where it is, with its undo, until the page is left.
pub fn act(row: Row, wish: Wish) {
    if row.busy.get_untracked() {
        return;
    }
    row.busy.set(true);
    wasm_bindgen_futures::spawn_local(async move {
        let done = tell(row, wish).await;
        row.busy.set(false);
        match done {
            Err(problem) => row.said.set(Some(words(&problem))),
            Ok(()) => match wish {
                Wish::Run => row.said.set(Some("Sent".to_owned())),
                Wish::Remove => {
                    row.removed.set(true);
                    row.said.set(Some("Removed".to_owned()));
                }
                Wish::Pause | Wish::Resume | Wish::Restore => dom::reload(),
            },
        }
    });
}

async fn tell(row: Row, wish: Wish) -> Result<(), Problem> {
    let client = fragment::client();
    let path = SchedulePath { schedule: row.id.get_value() };
    let paused = |paused: bool| EditSchedule { paused: Some(paused), ..EditSchedule::default() };
    match wish {
        Wish::Run => client.tell::<RunSchedule>(path, Nothing {}).await,
        Wish::Pause => client.tell::<EditScheduleEndpoint>(path, paused(true)).await,
        Wish::Resume => client.tell::<EditScheduleEndpoint>(path, paused(false)).await,
        Wish::Remove => client.tell::<RemoveSchedule>(path, Nothing {}).await,
        Wish::Restore => client.tell::<RestoreSchedule>(path, Nothing {}).await,
    }
}
