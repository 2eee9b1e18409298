//! Messages and instances in the older product's shapes.

use super::git_diff;
use api::messages::{Entry, ListMessages};
use api::sessions::SessionPath;
use api::{Api as _, Problem};
use hub::Scoped;
use model::{Micros, Role, Session, SessionState};
use serde_json::{Map, Value, json};

/// A message as `GET /messages/pending` gives it: exactly these five fields, since the SDK makes an object of them that
/// takes no sixth.
fn pending_message(entry: &Entry) -> Value {
    let draft = &entry.message.draft;
    json!({
        "id": draft.id,
        "content": draft.content,
        "sender_type": if draft.role == Role::User { "USER" } else { "AGENT" },
        "created_at": time(draft.created_at),
        "requires_user_input": draft.requires_user_input,
    })
}

pub fn pending_messages(entries: &[Entry]) -> Vec<Value> {
    entries.iter().map(pending_message).collect()
}

/// Fields that we add to the metadata of people's messages: who passed it on, and whether it is remembered.
const OURS: [&str; 2] = ["via_key", "embed"];

/// A message as all other answers give it. `message_metadata` is what was posted, normalised; without an envelope,
/// `message_type` is null.
fn message(entry: &Entry) -> Value {
    let draft = &entry.message.draft;
    let mut metadata = draft.metadata.clone();
    if draft.role == Role::User && metadata.as_ref().is_some_and(|all| OURS.iter().any(|ours| all.contains_key(*ours)))
    {
        let theirs = metadata.into_iter().flatten().filter(|(key, _)| !OURS.contains(&key.as_str()));
        metadata = Some(theirs.collect()).filter(|theirs: &Map<String, Value>| !theirs.is_empty());
    }
    let mut message = pending_message(entry);
    message["message_type"] = metadata.as_ref().and_then(|metadata| metadata.get("message_type")).cloned().into();
    message["message_metadata"] = metadata.into();
    message
}

pub fn messages(entries: &[Entry]) -> Vec<Value> {
    entries.iter().map(message).collect()
}

/// ISO 8601 in UTC, without a suffix.
pub fn time(at: Micros) -> String {
    let at = jiff::Timestamp::from_microsecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%dT%H:%M:%S%.6f").to_string()
}

pub fn status(session: &Session) -> &'static str {
    match session.state {
        // An agent that asks after its end stays ended.
        _ if session.ended_at.is_some() => "COMPLETED",
        SessionState::NeedsYou => "AWAITING_INPUT",
        SessionState::Done => "COMPLETED",
        SessionState::Failed => "FAILED",
        SessionState::Working | SessionState::Lost | SessionState::Quiet | SessionState::Idle => "ACTIVE",
    }
}

/// Roles of a conversation. That API knows a person and an agent: whatever else there is would be read as the agent's words.
const VOICES: [Role; 3] = [Role::User, Role::Assistant, Role::Tool];

/// A page of what was said, oldest first: up to `limit` messages before a `seq`, or the last ones.
pub async fn said(scoped: &Scoped, session: &Session, before: Option<i64>, limit: u32) -> Result<Vec<Entry>, Problem> {
    let path = SessionPath { session: session.id.to_string() };
    let limit = Some(limit.clamp(1, 500));
    let query = ListMessages { before, limit, roles: VOICES.to_vec(), ..ListMessages::default() };
    let page = scoped.list_messages(path, query).await?;
    let diff = git_diff::message_id(session.id.as_str());
    let is_said = |entry: &Entry| !entry.withheld && entry.message.draft.id.as_str() != diff;
    Ok(page.messages.into_iter().filter(is_said).collect())
}

/// Messages among which the latest is looked for: one may be the diff, or taken back.
const LATEST: u32 = 20;

/// An instance. `sent` is its id as the request wrote it.
pub async fn instance(scoped: &Scoped, session: &Session, sent: &str) -> Result<Value, Problem> {
    let latest = said(scoped, session, None, LATEST).await?.pop();
    Ok(json!({
        "id": sent,
        "agent_type_id": null,
        "agent_type_name": session.agent,
        "name": (session.title != session.id.as_str()).then_some(&session.title),
        "status": status(session),
        "started_at": time(session.created_at),
        "ended_at": session.ended_at.map(time),
        "latest_message": latest.as_ref().map(|entry| &entry.message.draft.content),
        "latest_message_at": latest.as_ref().map(|entry| time(entry.message.draft.created_at)),
        "chat_length": session.message_count,
        "last_heartbeat_at": session.heartbeat_at.map(time),
        "instance_metadata": null,
    }))
}
