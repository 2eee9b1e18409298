//! `PATCH /messages/{message}/request-input`: what the agent said becomes a question.

use super::fields::{Instance, uuid};
use super::pending::take;
use super::receive::Call;
use super::refusal::Refusal;
use super::repeats::Attempt;
use super::shapes;
use api::messages::{Entry, MessagePath};
use api::posting::UpdateMessage;
use api::{Api as _, Nothing, Problem};
use axum::extract::Path;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use hub::Scoped;
use model::Role;
use serde_json::json;

pub async fn ask(Extension(call): Extension<Call>, Path(message): Path<String>) -> Result<Response, Refusal> {
    let id = uuid(&message).ok_or_else(|| Refusal::new(400, "Invalid message_id format"))?;
    let found = find(&call.scoped, &id).await?.filter(|entry| entry.message.draft.role != Role::User);
    let found = found.ok_or_else(|| Refusal::new(404, "Agent message not found or access denied"))?;
    let asked = || Refusal::new(400, "Message already requires user input");
    let session = found.message.session_id.to_string();
    if !found.message.draft.requires_user_input {
        let change = UpdateMessage {
            requires_user_input: Some(true),
            if_match: Some(found.message.revision),
            ..UpdateMessage::default()
        };
        let path = MessagePath { session: session.clone(), message: id };
        let changed = call.scoped.update_message(path, change).await;
        changed.map_err(|problem| if problem.status == 412 { asked() } else { problem.into() })?;
    } else if call.ticket.attempt == Attempt::First {
        return Err(asked());
    }
    let instance = Instance { sent: session.clone(), session };
    let taken = take(&call.scoped, &instance, Some(found.message.seq)).await?;
    let answer = json!({
        "success": true,
        "message_id": message,
        "agent_instance_id": instance.sent,
        "status": if taken.is_some() { "ok" } else { "stale" },
        "messages": shapes::messages(&taken.unwrap_or_default()),
    });
    Ok(Json(answer).into_response())
}

/// The message, which the request names without its session.
async fn find(scoped: &Scoped, id: &str) -> Result<Option<Entry>, Problem> {
    let Some(session) = scoped.session_of(id).await? else { return Ok(None) };
    let path = MessagePath { session: session.to_string(), message: id.to_owned() };
    match scoped.get_message(path, Nothing {}).await {
        Ok(found) => Ok(Some(found.entry)),
        // Deleted in between.
        Err(problem) if problem.status == 404 => Ok(None),
        Err(problem) => Err(problem),
    }
}
