//! `POST /messages/user`: what a person typed where the agent runs.

use super::fields::{Fields, Instance};
use super::receive::Call;
use super::refusal::Refusal;
use super::send::{Whose, before_the_restart, path};
use api::posting::{PostMessage, Posted};
use api::{Api as _, Problem};
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
        // What the agent has read already isn't given to it. What waits beside it still is.
        deliver: Some(!read),
        ..PostMessage::default()
    };
    let posted = post(&call, &instance, message).await.map_err(|problem| match problem.status {
        404 => Refusal::new(400, "Agent instance not found"),
        _ => problem.into(),
    })?;
    let answer = json!({"success": true, "message_id": posted.message.message.draft.id, "marked_as_read": read});
    Ok(Json(answer).into_response())
}

async fn post(call: &Call, instance: &Instance, message: PostMessage) -> Result<Posted, Problem> {
    if let Some(known) = before_the_restart(call, instance, Whose::User).await {
        let same = PostMessage { id: Some(known), ..message.clone() };
        match call.scoped.post_message(path(instance), same).await {
            Err(problem) if problem.code == "id_conflict" => {}
            posted => return posted,
        }
    }
    call.scoped.post_message(path(instance), message).await
}
