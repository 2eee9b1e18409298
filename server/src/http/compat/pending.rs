//! `GET /messages/pending`: what people wrote to the agent, each message once.

use super::fields::{Instance, uuid};
use super::receive::{Call, NothingDone};
use super::refusal::Refusal;
use super::send::path;
use super::shapes;
use api::ProblemCode;
use api::messages::{Entry, MessagePath};
use api::posting::TakePending;
use api::{Api as _, Nothing, Problem};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use hub::Scoped;
use model::Role;
use serde_json::json;

/// Messages an answer; the rest comes with the next.
const MOST: u32 = 500;

pub async fn pending(Extension(call): Extension<Call>) -> Result<Response, Refusal> {
    let named = call.query.get("agent_instance_id");
    let named = named.ok_or_else(|| Refusal::field("query", "agent_instance_id", "missing", "Field required"))?;
    let instance = Instance::parse(named)?;
    let session =
        call.scoped.get_session(path(&instance), Nothing {}).await.map_err(|problem| match problem.status {
            404 => Refusal::new(404, "Agent instance not found"),
            _ => problem.into(),
        })?;
    let session = session.session;
    let last_read = call.query.get("last_read_message_id").filter(|id| !id.is_empty());
    let taken = match last_read {
        None => take(&call.scoped, &instance, None).await?,
        Some(id) => match seq_of(&call.scoped, session.id.as_str(), id).await? {
            // A person's message that the agent itself told of lies after what was delivered: it misses nothing.
            Some(seq) if seq >= session.delivered_seq => {
                take(&call.scoped, &instance, Some(session.delivered_seq)).await?
            }
            _ => None,
        },
    };
    Ok(answer(&instance.sent, taken))
}

/// `None` is for a reader that another one has overtaken.
fn answer(instance: &str, taken: Option<Vec<Entry>>) -> Response {
    let status = if taken.is_some() { "ok" } else { "stale" };
    let messages = shapes::pending_messages(&taken.unwrap_or_default());
    let nothing = messages.is_empty();
    let answer = json!({"agent_instance_id": instance, "messages": messages, "status": status});
    let mut response = Json(answer).into_response();
    if nothing {
        response.extensions_mut().insert(NothingDone);
    }
    response
}

/// Takes what waits, unless another one has read further than `expects`.
pub async fn take(scoped: &Scoped, instance: &Instance, expects: Option<i64>) -> Result<Option<Vec<Entry>>, Problem> {
    let input = TakePending { expects, limit: Some(MOST), ..TakePending::default() };
    match scoped.take_pending(path(instance), input).await {
        Ok(pending) => Ok(Some(pending.messages.into_iter().filter(is_of_a_person).collect())),
        Err(problem) if problem.is(ProblemCode::Stale) => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// That API knows no messages of the system: its clients would take one for the answer to their question.
pub fn is_of_a_person(entry: &Entry) -> bool {
    entry.message.draft.role == Role::User
}

/// Where a message stands, named by its id.
async fn seq_of(scoped: &Scoped, session: &str, id: &str) -> Result<Option<i64>, Refusal> {
    // Ids of ours are in lower case; people's clients may have given others than UUIDs.
    for name in [uuid(id).as_deref(), Some(id)].into_iter().flatten() {
        let message = MessagePath { session: session.to_owned(), message: name.to_owned() };
        match scoped.get_message(message, Nothing {}).await {
            Ok(found) if found.entry.message.draft.id.as_str() == name => return Ok(Some(found.entry.message.seq)),
            Err(problem) if problem.status != 404 => return Err(problem.into()),
            _ => {}
        }
    }
    match uuid(id) {
        Some(_) => Ok(None),
        None => Err(Refusal::new(400, "Invalid last_read_message_id format")),
    }
}
