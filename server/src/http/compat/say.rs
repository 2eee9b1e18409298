//! `POST /messages/user`: what a person typed where the agent runs.

use super::fields::{Fields, Instance};
use super::receive::Call;
use super::refusal::Refusal;
use super::send::path;
use api::Api as _;
use api::posting::PostMessage;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use model::Role;
use serde_json::json;

pub async fn say(Extension(call): Extension<Call>) -> Result<Response, Refusal> {
    let fields = Fields::of(&call.body)?;
    let instance = Instance::parse(fields.text("agent_instance_id")?)?;
    let read = fields.flag("mark_as_read")?.unwrap_or(true);
    let message = PostMessage {
        id: Some(call.ticket.id.to_string()),
        role: Some(Role::User),
        content: Some(fields.text("content")?.to_owned()),
        // A message that the agent has read already isn't given to it. Others that wait beside it still are.
        deliver: Some(!read),
        ..PostMessage::default()
    };
    let posted = call.scoped.post_message(path(&instance), message).await.map_err(|problem| match problem.status {
        404 => Refusal::new(400, "Agent instance not found"),
        _ => problem.into(),
    })?;
    let answer = json!({"success": true, "message_id": posted.message.message.draft.id, "marked_as_read": read});
    Ok(Json(answer).into_response())
}
