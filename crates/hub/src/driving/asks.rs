//! An agent's requests as APPROVALs, and the decisions on the way back.
//!
//! A card has the id that the transcript gives to it later, so that it stays one message. It is decided by people as
//! any other; the decision goes to the agent once. What nobody decided is never an approval: the card is closed, and
//! the agent is told nothing, or that nobody answered.

use crate::basics::hash::create_hash;
use crate::basics::{clock, problem};
use crate::context::Hub;
use crate::driving::{Running, asked};
use crate::requests::{Ended, Requests, card};
use crate::writing::posting;
use agents::form;
use api::{Problem, ProblemCode};
use drivers::{Answer, Ask, AskKind, Command};
use model::closed::{CloseReason, Closed};
use model::message_type::approval::{ASKED_BY_AGENT, Approval, ApprovalState, Decision, is_asked_by_driver};
use model::{Body, Draft, MessageId, MessageType, SessionId, envelope};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// How long a card waits for the call that it is about: a person decides on what they were shown, and that is part of
/// it.
const PATIENCE: Duration = Duration::from_secs(2);

/// Notice to a person whose decision came after the answer in the agent's own terminal.
const LATE: &str = "It was answered in the terminal first: your decision came too late";

/// Puts a request to people, and gives the agent what they decide.
pub async fn ask(hub: Hub, running: Arc<Running>, ask: Ask, over: CancellationToken) {
    let asked = async {
        wait_for_call(&hub, &running.session, &ask).await?;
        post(&hub, &running.session, card_of(&ask), &ask).await
    };
    let id = match asked.await {
        Ok(id) => id,
        Err(problem) => {
            tracing::error!(%problem, "a request of an agent can't be shown");
            let notice = format!("A request of the agent can't be shown: {}", problem.title);
            running.show(&hub, |view| view.note(notice));
            let answer = Answer::Cancel;
            let _ = running.command(Command::Answer { request: ask.request, answer }).await;
            return;
        }
    };
    let requests = Requests::of(&hub);
    let decided = tokio::select! {
        ended = requests.wait(&running.session, &id) => ended.and_then(decided),
        () = over.cancelled() => None,
        () = hub.shutdown.cancelled() => None,
    };
    let Some((approval, values)) = decided else {
        close(&hub, &running, &id).await;
        if running.is_joined && is_persons(&hub, &running.session, &id).await {
            running.show(&hub, |view| view.note(LATE.to_owned()));
        }
        return;
    };
    let answer = answer(&ask, &approval, &values);
    if let Err(problem) = running.command(Command::Answer { request: ask.request, answer }).await {
        let words = if running.is_joined && problem.is(ProblemCode::NobodyWaits) {
            LATE.to_owned()
        } else {
            format!("The decision didn't reach the agent: {}", problem.title)
        };
        running.show(&hub, |view| view.note(words));
    }
}

/// Waits until the transcript has the call, or for a moment.
async fn wait_for_call(hub: &Hub, session: &SessionId, ask: &Ask) -> Result<(), Problem> {
    let Some(call) = &ask.call_id else { return Ok(()) };
    let until = Instant::now() + PATIENCE;
    let mut news = hub.feed.news();
    loop {
        news.borrow_and_update();
        if !hub.workspace.calls(session, call).await.map_err(problem)?.is_empty() {
            return Ok(());
        }
        if timeout_at(until, news.changed()).await.is_err() {
            return Ok(());
        }
    }
}

/// The card of a request.
fn card_of(ask: &Ask) -> Draft {
    let (content, mut metadata) = match ask.kind {
        AskKind::Form => form_card(ask),
        _ => agents::claude::asked(&ask.tool_name, &Value::Object(ask.input.clone())),
    };
    if let Some(payload) = metadata.get_mut("payload").and_then(Value::as_object_mut) {
        if let Some(title) = &ask.title {
            payload.insert("title".to_owned(), json!(title));
        }
        let carried = asked::carried(ask, payload);
        if !payload.contains_key("fields") && ask.kind != AskKind::Question {
            let question = json!([{ "question": payload.get("title"), "options": options(ask) }]);
            payload.insert("questions".to_owned(), question);
        }
        metadata.insert(ASKED_BY_AGENT.to_owned(), json!(carried));
    }
    card::card((content, metadata), ask.call_id.as_deref(), ask.sub_agent.as_deref(), clock::now())
}

/// The card of a form. One without fields asks for a yes or no.
fn form_card(ask: &Ask) -> (String, Map<String, Value>) {
    let title = ask.title.clone().unwrap_or_else(|| "A form".to_owned());
    let fields = form::fields(&schema(ask));
    let mut payload = json!({ "kind": "permission", "title": title, "questions": [], "state": "open" });
    if !fields.is_empty() {
        payload["kind"] = json!("form");
        payload["fields"] = json!(fields);
    }
    let envelope = envelope::build(MessageType::Approval.as_str(), payload, Map::new(), envelope::VERSION);
    (title, envelope.unwrap_or_default())
}

fn schema(ask: &Ask) -> Value {
    ask.input.get("requestedSchema").cloned().unwrap_or_default()
}

fn options(ask: &Ask) -> Vec<Value> {
    if !ask.options.is_empty() {
        let option = |option: &drivers::Choice| json!({ "id": option.id, "label": option.label, "kind": option.kind });
        return ask.options.iter().map(option).collect();
    }
    let mut options = vec![json!({ "id": "allow", "label": "Allow once", "kind": "allow_once" })];
    options.extend(ask.suggestions.iter().enumerate().map(|(index, suggestion)| {
        json!({ "id": format!("rule-{index}"), "label": suggestion.label, "kind": "allow_always" })
    }));
    options.push(json!({ "id": "deny", "label": "Deny", "kind": "reject_once" }));
    options
}

/// Posts a card, and returns its id. One that the transcript brought first is the card. A second request for the same
/// call is a card of its own: nobody decides on what they weren't shown.
async fn post(hub: &Hub, session: &SessionId, card: Draft, ask: &Ask) -> Result<MessageId, Problem> {
    let post = |card: Draft| {
        let hash = create_hash(&(&card.id, &ask.request, &card.metadata))?;
        card::post(session, card, hash)
    };
    let requests = Requests::of(hub);
    if requests.post(post(card.clone())?).await?
        || requests.adopt(session, card.clone(), |row| !is_asked_by_driver(row)).await?
    {
        return Ok(card.id);
    }
    let second = Draft { id: posting::new_id(), ..card };
    let id = second.id.clone();
    requests.post(post(second)?).await?;
    Ok(id)
}

/// Returns a person's decision, with the values of a form. If the request was dismissed, the agent is told that nobody
/// decides it. None if it was neither decided nor dismissed.
fn decided(ended: Ended) -> Option<(Approval, Map<String, Value>)> {
    let Body::Approval(approval) = Body::of(&ended.draft) else { return None };
    let values = ended.action.and_then(|action| action.values).unwrap_or_default();
    let is_dismissed = Closed::of(&ended.draft).is_some_and(|closed| closed.reason == CloseReason::Dismissed);
    (approval.state.is_persons() || is_dismissed).then_some((approval, values))
}

/// Converts a decision for the agent. Only a clear permission is one.
fn answer(ask: &Ask, approval: &Approval, values: &Map<String, Value>) -> Answer {
    let no_decision = Decision::new(approval.state);
    let decision = approval.decision.as_ref().unwrap_or(&no_decision);
    let own = |decision: &Decision| {
        let chosen = ask.options.iter().find(|option| decision.selected.contains(&option.id));
        chosen.map(|option| option.id.clone())
    };
    match approval.state {
        ApprovalState::Answered | ApprovalState::AllowedOnce if ask.kind == AskKind::Form => {
            Answer::Form(form::content(&schema(ask), values))
        }
        ApprovalState::AllowedOnce | ApprovalState::AllowedAlways => {
            let rule = |id: &String| id.strip_prefix("rule-")?.parse().ok();
            let rules = decision.selected.iter().filter_map(rule).collect();
            Answer::Allow { option: own(decision), input: None, rules }
        }
        ApprovalState::Denied => Answer::Deny { option: own(decision), message: decision.text.clone() },
        ApprovalState::Answered => Answer::Answers(answers(approval, decision)),
        _ => Answer::Cancel,
    }
}

/// The answers by the words of their questions: labels, then what was typed.
fn answers(approval: &Approval, decision: &Decision) -> Map<String, Value> {
    let mut answers = Map::new();
    for question in &approval.questions {
        let chosen = question.options.iter().filter(|option| decision.selected.contains(&option.id));
        let mut labels: Vec<Value> = chosen.map(|option| json!(option.label)).collect();
        // A typed text answers questions without options, or adds to a single question.
        if let Some(text) = &decision.text
            && (labels.is_empty() || approval.questions.len() == 1)
        {
            labels.push(json!(text));
        }
        let answer = if labels.len() == 1 { labels.remove(0) } else { Value::Array(labels) };
        answers.insert(question.question.clone(), answer);
    }
    answers
}

/// Whether a person decided a request in the moment in which it was withdrawn.
async fn is_persons(hub: &Hub, session: &SessionId, id: &MessageId) -> bool {
    let found = hub.workspace.message(session, id).await.ok().flatten();
    let state = found.and_then(|stored| match Body::of(&stored.message.draft) {
        Body::Approval(approval) => Some(approval.state),
        _ => None,
    });
    state.is_some_and(ApprovalState::is_persons)
}

/// Closes a card that nobody decided: the agent withdrew its request, or ended.
async fn close(hub: &Hub, running: &Running, id: &MessageId) {
    if hub.shutdown.is_cancelled() || running.is_over.load(Ordering::Relaxed) {
        let reason = if running.is_joined { CloseReason::Terminal } else { CloseReason::AgentEnded };
        return Requests::of(hub).close_for(&running.session, id, reason).await;
    }
    // A joined agent withdraws what was answered in its terminal.
    let decision = running.is_joined.then(|| {
        let via = Some("terminal".to_owned());
        Decision { via, at: Some(clock::now()), ..Decision::new(ApprovalState::DecidedElsewhere) }
    });
    let state = decision.as_ref().map_or(ApprovalState::Cancelled, |decision| decision.state);
    let cancel = move |row: &Draft| Approval::open_in(row).and_then(|_| card::closed(row, state, decision.as_ref()));
    Requests::of(hub).close(&running.session, id, cancel).await;
}
