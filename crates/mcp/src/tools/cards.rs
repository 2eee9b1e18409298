//! `diff`, `todos` and `progress`: messages whose arguments are the payload of their type.

use super::log::stored;
use crate::call::{Call, Refusal, Reply};
use crate::schema;
use model::MessageType;
use model::message_type::progress::Progress;
use sdk::{Error, PostMessage, Sent, Structured, UpdateMessage};
use serde_json::{Map, Value, json};

pub async fn diff(call: &Call, arguments: Map<String, Value>) -> Result<Reply, Refusal> {
    Ok(stored("Shown", send(call, MessageType::CodeEdit, arguments, None).await.map_err(refused)?))
}

pub async fn todos(call: &Call, arguments: Map<String, Value>) -> Result<Reply, Refusal> {
    Ok(stored("Set", send(call, MessageType::Todo, arguments, None).await.map_err(refused)?))
}

/// The fields of a PROGRESS, and the id of the report.
pub fn progress_schema() -> Map<String, Value> {
    let mut schema = schema::of::<Progress>();
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        let id = json!({"type": "string", "minLength": 1, "maxLength": 128, "description": "Names the report, to move it on. Any text of your own."});
        fields.insert("id".to_owned(), id);
    }
    schema
}

pub async fn progress(call: &Call, mut arguments: Map<String, Value>) -> Result<Reply, Refusal> {
    let id = match arguments.shift_remove("id") {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) => Some(id),
        Some(_) => return Err(Refusal::new("`id`: expected a string")),
    };
    if let Some(id) = &id {
        match advance(call, id, arguments.clone()).await {
            Ok(()) => return Ok(Reply::new(format!("Moved on; its `id` is `{id}`"), Vec::new())),
            Err(Error::NotFound(_)) => {}
            Err(error) => return Err(refused(error)),
        }
    }
    let sent = send(call, MessageType::Progress, arguments, id).await.map_err(refused)?;
    Ok(Reply::new(format!("Reported; to move it on, pass `id`: `{}`", sent.id()), sent.queued_user_messages))
}

/// Names an argument where the model wrote it: the arguments are the payload.
fn refused(error: Error) -> Refusal {
    match error {
        Error::Envelope(error) => Refusal(error.to_string().replace("`/payload/", "`/")),
        error => error.into(),
    }
}

/// Moves a report on.
async fn advance(call: &Call, id: &str, payload: Map<String, Value>) -> Result<(), Error> {
    let payload = Value::Object(payload);
    let envelope =
        model::envelope::build(MessageType::Progress.as_str(), payload, Map::new(), model::envelope::VERSION)?;
    let update = UpdateMessage { message_metadata: Some(envelope.into()), ..UpdateMessage::default() };
    call.session().await?.update(id, update).await.map(drop)
}

async fn send(call: &Call, kind: MessageType, payload: Map<String, Value>, id: Option<String>) -> Result<Sent, Error> {
    let options = Structured { message: PostMessage { id, ..PostMessage::default() }, ..Structured::default() };
    call.session().await?.send_structured_message(kind.as_str(), Value::Object(payload), options).await
}
