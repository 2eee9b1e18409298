//! The browser's part of the agent bar.

use super::{Bar, Wish};
use crate::browser::page_state::{now_and_then, page_state, whenever};
use crate::browser::{dom, fragment};
use crate::shared::session_href;
use api::Problem;
use api::contract::{EditAgentEndpoint, GetAgent, ResumeAgentEndpoint, TellAgentEndpoint, UpdateMessageEndpoint};
use api::driving::{
    AgentAbility, AgentAction, AgentHolder, AgentState, DrivenAgent, EditAgent, ResumeAgent, TellAgent,
};
use api::messages::MessagePath;
use api::posting::UpdateMessage;
use api::sessions::SessionPath;
use leptos::prelude::*;
use model::{Micros, Status};
use std::cell::Cell;
use wasm_bindgen::JsValue;
use web_sys::KeyboardEvent;

/// Milliseconds between the two presses of Escape.
const TWICE: f64 = 600.0;

/// Milliseconds between two looks for messages that wait.
const SOON: i32 = 300;

/// Follows the agent, and the keys that interrupt it.
pub fn start(bar: Bar) {
    let state = page_state();
    whenever(&state.agent, move || refresh(bar));
    // Each message of this person joins the list of those that wait.
    now_and_then(SOON, [state.own.clone()], move || {
        if bar.agent.with_untracked(|agent| agent.held_by.is_some_and(|holder| holder != AgentHolder::Page)) {
            refresh(bar);
        }
    });
    state.link.follow(move || {
        if page_state().is_live() {
            refresh(bar);
        }
    });
    let last = Cell::new(f64::NEG_INFINITY);
    let Some(document) = dom::document() else { return };
    dom::listen(&document, "keydown", move |event: KeyboardEvent| {
        if event.key() != "Escape" || event.is_composing() || event.repeat() {
            last.set(f64::NEG_INFINITY);
            return;
        }
        let now = event.time_stamp();
        let works = bar.agent.with_untracked(|agent| agent.can(AgentAbility::Interrupt));
        if now - last.replace(now) < TWICE && works {
            last.set(f64::NEG_INFINITY);
            act(bar, Wish::Interrupt);
        }
    });
}

fn refresh(bar: Bar) {
    let path = SessionPath { session: bar.session.get_value() };
    wasm_bindgen_futures::spawn_local(async move {
        if let Ok(agent) = fragment::client().call::<GetAgent>(path, api::Nothing {}).await {
            bar.agent.set(agent);
        }
    });
}

/// Returns the time of now, and a moment in words.
pub fn clock(at: Micros) -> (Micros, String) {
    let date = js_sys::Date::new(&JsValue::from_f64((at.0 / 1_000) as f64));
    (Micros(js_sys::Date::now() as i64 * 1_000), String::from(date.to_iso_string()))
}

/// Does what a button says.
pub fn act(bar: Bar, wish: Wish) {
    let cancels = wish == Wish::End && bar.agent.with_untracked(|agent| agent.state == AgentState::Starting);
    if bar.busy.get_untracked() && !cancels {
        return;
    }
    bar.busy.set(true);
    bar.problem.set(None);
    wasm_bindgen_futures::spawn_local(async move {
        let done = carry_out(bar, wish).await;
        bar.busy.set(false);
        match done {
            Ok(Some(elsewhere)) => dom::go_to(&elsewhere),
            Ok(None) => refresh(bar),
            Err(problem) => {
                let hint = problem.hint.map_or_else(String::new, |hint| format!(". {hint}"));
                bar.problem.set(Some(format!("{}{hint}", problem.title)));
                refresh(bar);
            }
        }
    });
}

/// Returns the page to go to, if it is another one.
async fn carry_out(bar: Bar, wish: Wish) -> Result<Option<String>, Problem> {
    let session = bar.session.get_value();
    let path = SessionPath { session: session.clone() };
    let client = fragment::client();
    let tell = async |told: TellAgent| {
        let agent = fragment::client().call::<TellAgentEndpoint>(path.clone(), told).await?;
        bar.agent.set(agent);
        Ok::<_, Problem>(None)
    };
    let edit = |edit: EditAgent| client.call::<EditAgentEndpoint>(path.clone(), edit);
    let resume =
        |fork| client.call::<ResumeAgentEndpoint>(path.clone(), ResumeAgent { fork, ..ResumeAgent::default() });
    match wish {
        Wish::Interrupt => tell(AgentAction::Interrupt.into()).await,
        Wish::Steer => tell(AgentAction::Steer.into()).await,
        Wish::End => tell(AgentAction::End.into()).await,
        Wish::Leave => tell(AgentAction::Leave.into()).await,
        Wish::Join => {
            tell(AgentAction::Join.into()).await?;
            // The page was opened without a composer.
            Ok((!super::has_composer()).then(|| session_href(&session)))
        }
        Wish::Dismiss(last) => tell(TellAgent { action: AgentAction::Dismiss, notice: Some(last) }).await,
        Wish::Withdraw(message) => {
            let path = MessagePath { session, message };
            let change = UpdateMessage { status: Some(Status::Retracted), ..UpdateMessage::default() };
            client.tell::<UpdateMessageEndpoint>(path, change).await.map(|()| None)
        }
        Wish::Write => Ok(Some(session_href(&session))),
        Wish::Mode(mode) => edit(EditAgent { mode: Some(mode), ..EditAgent::default() }).await.map(|_| None),
        Wish::Model(model) => edit(EditAgent { model: Some(model), ..EditAgent::default() }).await.map(|_| None),
        Wish::Resume | Wish::Fork => {
            let started: DrivenAgent = resume(wish == Wish::Fork).await?.agent;
            // A session from a transcript now needs a composer: reload its page.
            let was_driven = bar.agent.with_untracked(|agent| agent.state != AgentState::Observed);
            if started.session == session && was_driven {
                bar.agent.set(started);
                return Ok(None);
            }
            Ok(Some(session_href(&started.session)))
        }
    }
}
