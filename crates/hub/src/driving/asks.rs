//! An agent's requests as APPROVALs, and the decisions on the way back.
//!
//! A card has the id that the transcript gives to it later, so that it stays one message. It is decided by people as any other; the
//! decision goes to the agent once. What nobody decided is never an approval: the card is closed, and the agent is told nothing, or that
//! nobody answered.

use super::{Running, asked};
use crate::cards::{self, changed};
use crate::hash::create_hash;
use crate::refusal::refusal;
use crate::writer::Failure;
use crate::{Hub, clock, posting, problem};
use agents::form;
use api::Problem;
use drivers::{Answer, Ask, AskKind, Command};
use model::message_type::approval::{ASKED_BY_AGENT, Approval, ApprovalState, Decision, is_asked_by_driver};
use model::{Body, Draft, MessageId, MessageType, Provenance, SessionId, envelope};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use store::{LiveChange, LivePost, LiveWrite, MessageQuery, Objection, Range, Refusal, StoredMessage};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// How long a card waits for the call that it is about: a person decides on what they were shown, and that is part of it.
const PATIENCE: Duration = Duration::from_secs(2);
/// Answers after a form that are looked through for its own.
const ACTIONS: u32 = 100;
/// Cards of a session that are looked through when its agent is gone.
const CARDS: u32 = 200;

/// Puts a request to people, and gives the agent what they decide.
pub async fn ask(hub: Hub, running: Arc<Running>, ask: Ask, over: CancellationToken) {
    let asked = async {
        wait_for_call(&hub, &running.session, &ask).await?;
        post(&hub, &running.session, card(&ask), &ask).await
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
    let decided = tokio::select! {
        decided = decided(&hub, &running.session, &id) => decided,
        () = over.cancelled() => None,
        () = hub.shutdown.cancelled() => None,
    };
    let Some((approval, values)) = decided else {
        close(&hub, &running.session, &id).await;
        return;
    };
    let answer = answer(&ask, &approval, &values);
    if let Err(problem) = running.command(Command::Answer { request: ask.request, answer }).await {
        running.show(&hub, |view| view.note(format!("The decision didn't reach the agent: {}", problem.title)));
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
fn card(ask: &Ask) -> Draft {
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
    cards::card((content, metadata), ask.call_id.as_deref(), ask.sub_agent.as_deref(), clock::now())
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

/// Posts a card, and returns its id. One that the transcript brought first is the card. A second request for the same call is a card
/// of its own: nobody decides on what they weren't shown.
async fn post(hub: &Hub, session: &SessionId, card: Draft, ask: &Ask) -> Result<MessageId, Problem> {
    if write(hub, session, &card, ask).await? {
        return Ok(card.id);
    }
    let ours = card.clone();
    let adopt = move |current: &StoredMessage, _: &[StoredMessage]| {
        let row = &current.message.draft;
        if Approval::open_in(row).is_none() || is_asked_by_driver(row) {
            return Err(Refusal::Rule(Objection::Decided, None));
        }
        Ok(changed(Draft { metadata: ours.metadata.clone(), provenance: Provenance::Ourselves, ..row.clone() }))
    };
    if change(hub, session, &card.id, Box::new(adopt)).await? {
        return Ok(card.id);
    }
    let second = Draft { id: posting::new_id(), ..card };
    write(hub, session, &second, ask).await?;
    Ok(second.id)
}

/// Returns false if another message has its id.
async fn write(hub: &Hub, session: &SessionId, card: &Draft, ask: &Ask) -> Result<bool, Problem> {
    let hash = create_hash(&(&card.id, &ask.request, &card.metadata))?;
    let message = posting::new_message(card.clone(), Body::of(card));
    let post = LivePost::new(session.clone(), message, hash).map_err(problem)?;
    match hub.writer.write(LiveWrite::Post(Box::new(post))).await {
        Ok(_) => Ok(true),
        Err(Failure::Refused(Refusal::Conflict)) => Ok(false),
        Err(failure) => Err(refusal(failure)),
    }
}

/// Waits until a card is decided, and returns it with the values of its form. None if it was closed without a decision.
async fn decided(hub: &Hub, session: &SessionId, id: &MessageId) -> Option<(Approval, Map<String, Value>)> {
    let mut news = hub.feed.news();
    loop {
        news.borrow_and_update();
        match hub.workspace.message(session, id).await {
            Ok(Some(stored)) if Approval::open_in(&stored.message.draft).is_none() => {
                let Body::Approval(approval) = Body::of(&stored.message.draft) else { return None };
                if !approval.state.is_persons() {
                    return None;
                }
                let values =
                    if approval.fields.is_empty() { Map::new() } else { values(hub, session, &stored).await? };
                return Some((approval, values));
            }
            Ok(Some(_)) => {}
            Ok(None) => return None,
            // A database that can't be reached for a moment: the next change is another chance.
            Err(error) => tracing::warn!(%error, "a decision can't be read"),
        }
        news.changed().await.ok()?;
    }
}

/// What a person filled into a form: the message that tells of the decision has it.
async fn values(hub: &Hub, session: &SessionId, card: &StoredMessage) -> Option<Map<String, Value>> {
    let types = vec![MessageType::Action.to_string()];
    let range = Range::After(card.message.seq, ACTIONS);
    let query = MessageQuery { types, limit: ACTIONS, ..MessageQuery::new(range) };
    let found = hub.workspace.stretch(session, &query).await;
    let found = found.inspect_err(|error| tracing::warn!(%error, "what was filled in can't be read")).ok()?;
    let id = card.message.draft.id.as_str();
    found.messages.iter().find_map(|stored| match Body::of(&stored.message.draft) {
        Body::Action(action) if action.approval_id.as_deref() == Some(id) => Some(action.values.unwrap_or_default()),
        _ => None,
    })
}

/// What a decision means to the agent. Whatever isn't clearly a permission is none.
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
        // What was typed answers what has no choice, or adds to a lone question.
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

/// Closes a card that nobody decided.
async fn close(hub: &Hub, session: &SessionId, id: &MessageId) {
    let cancel = |current: &StoredMessage, _: &[StoredMessage]| {
        let row = &current.message.draft;
        let closed = Approval::open_in(row).and_then(|_| cards::closed(row, ApprovalState::Cancelled, None));
        closed.map(changed).ok_or(Refusal::Rule(Objection::Decided, None))
    };
    if let Err(problem) = change(hub, session, id, Box::new(cancel)).await {
        tracing::debug!(%problem, "a request can't be closed");
    }
}

/// Closes all cards that an agent left open which doesn't run any more.
pub async fn close_all(hub: &Hub, session: &SessionId) {
    let types = vec![MessageType::Approval.to_string()];
    let query = MessageQuery { types, limit: CARDS, ..MessageQuery::new(Range::Last(CARDS)) };
    let stretch = match hub.workspace.stretch(session, &query).await {
        Ok(stretch) => stretch,
        Err(error) => {
            tracing::warn!(%error, "what an agent asked can't be read");
            return;
        }
    };
    for stored in stretch.messages {
        let draft = &stored.message.draft;
        if is_asked_by_driver(draft) && Approval::open_in(draft).is_some() {
            close(hub, session, &draft.id).await;
        }
    }
}

/// Returns false if the rule refused, which is no error.
async fn change(hub: &Hub, session: &SessionId, id: &MessageId, rule: store::Rule) -> Result<bool, Problem> {
    let (session, message) = (session.clone(), id.clone());
    let change = LiveChange { session, message, if_match: None, needs_calls: false, rule, note: None };
    match hub.writer.write(LiveWrite::Change(Box::new(change))).await {
        Ok(_) => Ok(true),
        Err(Failure::Refused(Refusal::Rule(..))) => Ok(false),
        Err(failure) => Err(refusal(failure)),
    }
}
