//! Messages and instances in the older product's shapes.

use super::git_diff;
use api::messages::{Entry, ListMessages};
use api::sessions::SessionPath;
use api::{Api as _, Problem};
use hub::Scoped;
use model::{Micros, Role, Session, SessionState};
use serde_json::{Value, json};

/// Exactly these five: the SDK makes an object of them that takes no sixth.
pub fn message(entry: &Entry) -> Value {
    let draft = &entry.message.draft;
    json!({
        "id": draft.id,
        "content": draft.content,
        "sender_type": if draft.role == Role::User { "USER" } else { "AGENT" },
        "created_at": time(draft.created_at),
        "requires_user_input": draft.requires_user_input,
    })
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
        SessionState::Working | SessionState::Lost | SessionState::Idle => "ACTIVE",
    }
}

/// A page of what was said, oldest first: up to `limit` messages before a `seq`, or the last ones.
pub async fn said(scoped: &Scoped, session: &Session, before: Option<i64>, limit: u32) -> Result<Vec<Entry>, Problem> {
    let path = SessionPath { session: session.id.to_string() };
    let limit = Some(limit.clamp(1, 500));
    let page = scoped.list_messages(path, ListMessages { before, limit, ..ListMessages::default() }).await?;
    let diff = git_diff::message_id(session.id.as_str());
    Ok(page.messages.into_iter().filter(|entry| entry.message.draft.id.as_str() != diff).collect())
}

/// An instance. `sent` is its id as the request wrote it.
pub async fn instance(scoped: &Scoped, session: &Session, sent: &str) -> Result<Value, Problem> {
    let latest = said(scoped, session, None, 2).await?.pop();
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
