//! Instances, which are our sessions: registered, shown, alive, ended.

use super::fields::{Fields, Instance, uuid};
use super::receive::{Call, NothingDone};
use super::refusal::{self, Refusal};
use super::send::path;
use super::{git_diff, shapes};
use api::lifecycle::{EndSession, NewSession, SessionReply};
use api::messages::MessagePath;
use api::{Api as _, Nothing};
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use model::Session;
use serde_json::{Value, json};

/// Messages of an answer that doesn't say how many.
const USUAL: u32 = 50;

/// `POST /agent-instances`
pub async fn register(Extension(call): Extension<Call>) -> Result<Response, Refusal> {
    let fields = Fields::of(&call.body)?;
    let agent = fields.text("agent_type")?.trim().to_lowercase();
    let (name, transport) = (fields.optional_text("name")?, fields.optional_text("transport")?);
    let instance = match fields.optional_text("agent_instance_id")? {
        Some(sent) => Instance::parse(sent)?,
        None => Instance::parse(&call.ticket.id.to_string())?,
    };
    let new = NewSession {
        id: Some(instance.session.clone()),
        agent: agent.clone(),
        title: name.map(str::to_owned),
        ..NewSession::default()
    };
    let exists = || Refusal::new(409, "Agent instance already exists");
    match call.scoped.create_session(Nothing {}, new).await {
        Ok(made) if made.replayed && fields.optional_text("agent_instance_id")?.is_some() => return Err(exists()),
        Ok(_) => {}
        Err(problem) if problem.status == 409 => {
            return Err(match call.scoped.get_session(path(&instance), Nothing {}).await {
                Ok(_) => exists(),
                Err(_) => Refusal::new(403, "Access denied. Agent instance does not belong to authenticated user."),
            });
        }
        Err(problem) => return Err(refusal::of_session(problem)),
    }
    let answer = json!({
        "agent_instance_id": instance.sent,
        "agent_type_id": null,
        "agent_type_name": agent,
        "status": "ACTIVE",
        "name": name,
        "instance_metadata": transport.map(|transport| json!({"transport": transport})),
    });
    Ok((StatusCode::CREATED, Json(answer)).into_response())
}

/// `GET /agent-instances/{instance}`
pub async fn show(Extension(call): Extension<Call>, Path(instance): Path<String>) -> Result<Response, Refusal> {
    let (instance, session) = find(&call, &instance).await?;
    let mut shown = shapes::instance(&call.scoped, &session, &instance.sent).await?;
    let limit = limit(&call, "message_limit")?;
    let said = if limit == 0 { Vec::new() } else { shapes::said(&call.scoped, &session, None, limit).await? };
    let seq = MessagePath { session: session.id.to_string(), message: session.delivered_seq.to_string() };
    let read = call.scoped.get_message(seq, Nothing {}).await.ok().map(|found| found.entry.message);
    let read = read.filter(|message| message.seq == session.delivered_seq);
    shown["messages"] = Value::from(shapes::messages(&said));
    shown["last_read_message_id"] = read.map_or(Value::Null, |message| Value::from(message.draft.id.as_str()));
    shown["git_diff"] = git_diff::stored(&call.scoped, &instance.session).await?.map_or(Value::Null, Value::from);
    shown["access_level"] = Value::from("WRITE");
    shown["is_owner"] = Value::from(true);
    Ok(nothing_done(shown))
}

/// `GET /agent-instances/{instance}/messages`
pub async fn messages(Extension(call): Extension<Call>, Path(instance): Path<String>) -> Result<Response, Refusal> {
    let (_, session) = find(&call, &instance).await?;
    let before = match call.query.get("before_message_id").filter(|id| !id.is_empty()) {
        None => None,
        Some(id) => {
            let message = uuid(id).unwrap_or_else(|| id.clone());
            let path = MessagePath { session: session.id.to_string(), message };
            let found = call.scoped.get_message(path, Nothing {}).await;
            Some(found.map_err(|_| Refusal::new(404, "Message not found"))?.entry.message.seq)
        }
    };
    let said = shapes::said(&call.scoped, &session, before, limit(&call, "limit")?).await?;
    Ok(nothing_done(Value::from(shapes::messages(&said))))
}

/// `PUT /agent-instances/{instance}/status`: the only one that can be set is the last.
pub async fn set_status(Extension(call): Extension<Call>, Path(instance): Path<String>) -> Result<Response, Refusal> {
    let fields = Fields::of(&call.body)?;
    if fields.text("status")? != "COMPLETED" {
        return Err(Refusal::new(400, "Status update not supported"));
    }
    let (instance, _) = find(&call, &instance).await?;
    let ended = call.scoped.end_session(path(&instance), EndSession::default()).await?;
    Ok(Json(shapes::instance(&call.scoped, &ended.session, &instance.sent).await?).into_response())
}

/// `POST /sessions/end`
pub async fn end(Extension(call): Extension<Call>) -> Result<Response, Refusal> {
    let fields = Fields::of(&call.body)?;
    let instance = Instance::parse(fields.text("agent_instance_id")?)?;
    call.scoped.end_session(path(&instance), EndSession::default()).await.map_err(|problem| match problem.status {
        404 => Refusal::new(400, "Agent instance not found"),
        _ => problem.into(),
    })?;
    let answer = json!({"success": true, "agent_instance_id": instance.sent, "final_status": "COMPLETED"});
    Ok(Json(answer).into_response())
}

/// `POST /agents/instances/{instance}/heartbeat`
pub async fn heartbeat(Extension(call): Extension<Call>, Path(instance): Path<String>) -> Result<Response, Refusal> {
    let instance = Instance::parse(&instance)?;
    let SessionReply { session } = call.scoped.heartbeat(path(&instance), Nothing {}).await.map_err(unknown)?;
    let at = session.heartbeat_at.unwrap_or_else(hub::clock::now);
    Ok(nothing_done(json!({"agent_instance_id": instance.sent, "last_heartbeat_at": shapes::time(at)})))
}

/// `GET /auth/verify`
pub async fn verify(Extension(call): Extension<Call>) -> Result<Response, Refusal> {
    let me = call.scoped.me(Nothing {}, Nothing {}).await?;
    Ok(nothing_done(json!({
        "success": true,
        "user_id": call.scoped.caller.key_id().unwrap_or(&me.kind),
        "email": "",
        "display_name": me.name,
        "message": "Authentication successful",
    })))
}

async fn find(call: &Call, sent: &str) -> Result<(Instance, Session), Refusal> {
    let instance = Instance::parse(sent)?;
    let found = call.scoped.get_session(path(&instance), Nothing {}).await.map_err(unknown)?;
    Ok((instance, found.session))
}

fn unknown(problem: api::Problem) -> Refusal {
    if problem.status == 404 { Refusal::new(404, "Agent instance not found") } else { problem.into() }
}

/// How many messages a query asks for.
fn limit(call: &Call, name: &str) -> Result<u32, Refusal> {
    let wrong = || Refusal::field("query", name, "int_parsing", "Input should be a valid integer");
    call.query.get(name).map_or(Ok(USUAL), |text| text.parse().map_err(|_| wrong()))
}

/// An answer that only tells: who asks again gets what is true then.
fn nothing_done(answer: Value) -> Response {
    (Extension(NothingDone), Json(answer)).into_response()
}
