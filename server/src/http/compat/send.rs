//! `POST /messages/agent`: the agent speaks, and gets what people wrote to it since.

use super::fields::{Fields, Instance};
use super::git_diff::{self, Diff};
use super::pending::is_of_a_person;
use super::receive::Call;
use super::refusal::{self, Refusal};
use super::shapes;
use api::ProblemCode;
use api::lifecycle::NewSession;
use api::posting::{PostMessage, PostMessages, Posted};
use api::sessions::SessionPath;
use api::{Api as _, Nothing, Problem};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use hub::settings::type_settings::CurrentTypeSettings;
use serde_json::json;

pub async fn send(Extension(call): Extension<Call>) -> Result<Response, Refusal> {
    let fields = Fields::of(&call.body)?;
    let instance = Instance::parse(fields.text("agent_instance_id")?)?;
    let agent_type = fields.optional_text("agent_type")?.map(str::trim).filter(|name| !name.is_empty());
    for told_elsewhere in ["send_push", "send_email", "send_sms"] {
        fields.flag(told_elsewhere)?;
    }
    let diff = fields.optional_text("git_diff")?.and_then(git_diff::read);
    let message = PostMessage {
        id: Some(call.ticket.id.to_string()),
        content: Some(fields.text("content")?.to_owned()),
        message_metadata: fields.object("message_metadata")?.cloned(),
        requires_user_input: fields.flag("requires_user_input")?,
        ..PostMessage::default()
    };
    // Before anything is made: what is refused leaves nothing.
    let settings = call.scoped.hub.state::<CurrentTypeSettings>().get();
    hub::read_metadata(&settings, message.message_metadata.clone()).map_err(|_| bad_metadata())?;
    let posted = match post(&call, &instance, message.clone(), diff.as_ref()).await {
        Err(problem) if problem.is(ProblemCode::NotFound) => {
            make(&call, &instance, agent_type).await?;
            post(&call, &instance, message, diff.as_ref()).await
        }
        posted => posted,
    };
    let posted = posted.map_err(refused)?;
    let message_id = posted.last().map(|posted| posted.message.message.draft.id.to_string());
    let queued =
        posted.iter().flat_map(|posted| posted.queued_user_messages.iter().filter(|entry| is_of_a_person(entry)));
    let queued = shapes::messages(&queued.cloned().collect::<Vec<_>>());
    let answer = json!({
        "success": true,
        "agent_instance_id": instance.sent,
        "message_id": message_id,
        "queued_user_messages": queued,
    });
    Ok(Json(answer).into_response())
}

fn bad_metadata() -> Refusal {
    Refusal::new(400, "Invalid message metadata")
}

fn refused(problem: Problem) -> Refusal {
    if problem.field.as_deref().is_some_and(|field| field.contains("/message_metadata")) {
        return bad_metadata();
    }
    problem.into()
}

/// The session of a new instance. Somebody may make it at the same time.
async fn make(call: &Call, instance: &Instance, agent_type: Option<&str>) -> Result<(), Refusal> {
    let agent_type =
        agent_type.ok_or_else(|| Refusal::new(400, "agent_type is required when creating new instance"))?;
    let new =
        NewSession { id: Some(instance.session.clone()), agent: agent_type.to_lowercase(), ..NewSession::default() };
    let denied = "Access denied. Agent instance does not belong to authenticated user.";
    match call.scoped.create_session(Nothing {}, new).await {
        Ok(_) => Ok(()),
        Err(problem) if problem.status == 409 => {
            let known = call.scoped.get_session(path(instance), Nothing {}).await;
            known.map(drop).map_err(|_| Refusal::new(400, denied))
        }
        Err(problem) if problem.status == 404 => Err(Refusal::new(400, denied)),
        Err(problem) => Err(refusal::of_session(problem)),
    }
}

/// Stores the message. A first diff goes before it, with it or not at all; a later one replaces the first.
async fn post(
    call: &Call,
    instance: &Instance,
    message: PostMessage,
    diff: Option<&Diff>,
) -> Result<Vec<Posted>, Problem> {
    let (path, scoped) = (path(instance), &call.scoped);
    let Some(diff) = diff else { return Ok(vec![scoped.post_message(path, message).await?]) };
    if let Some(first) = git_diff::first(scoped, &instance.session, diff).await? {
        let both = PostMessages { messages: vec![first, message.clone()] };
        match scoped.post_messages(path.clone(), both).await {
            // Another message brought the first one in between.
            Err(problem) if problem.is(ProblemCode::IdConflict) => {}
            posted => return posted.map(|posted| posted.messages),
        }
    }
    let posted = scoped.post_message(path, message).await?;
    // The message is stored: what becomes of the diff is no reason to have it repeated.
    if let Err(problem) = git_diff::replace(scoped, &instance.session, diff).await {
        tracing::warn!(code = problem.code, "a session's diff could not be replaced");
    }
    Ok(vec![posted])
}

pub fn path(instance: &Instance) -> SessionPath {
    SessionPath { session: instance.session.clone() }
}
