//! `log`: a message of any type.

use crate::call::{Call, Refusal, Reply, read};
use api::posting::PostMessage;
use model::MessageType;
use schemars::JsonSchema;
use sdk::{Sent, Structured};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A text, or a message of a type.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// Markdown. With a `type`, the text that stands for the message where its card can't be shown.
    #[serde(default)]
    text: Option<String>,
    /// Type of the message, such as `CHART` or one of your own. Needs a `payload`.
    #[serde(default, rename = "type")]
    message_type: Option<String>,
    /// Fields of the type.
    #[serde(default)]
    payload: Option<Map<String, Value>>,
}

pub async fn run(call: &Call, arguments: Map<String, Value>) -> Result<Reply, Refusal> {
    let Log { text, message_type, payload } = read(arguments)?;
    let text = text.filter(|text| !text.trim().is_empty());
    let has_text = text.is_some();
    let message = PostMessage { content: text, ..PostMessage::default() };
    let sent = match (message_type, payload) {
        (Some(message_type), _) if message_type == MessageType::Approval.as_str() => {
            return Err(Refusal::new("`type`: an APPROVAL waits for an answer\nUse the tool `ask` or `approve`"));
        }
        (Some(message_type), Some(payload)) => {
            let options = Structured { message, ..Structured::default() };
            call.session().await?.send_structured_message(&message_type, Value::Object(payload), options).await?
        }
        (Some(_), None) => return Err(Refusal::new("`payload` is missing: the fields of the `type`")),
        (None, Some(_)) => return Err(Refusal::new("`type` is missing: a `payload` needs one")),
        (None, None) if !has_text => return Err(Refusal::new("`text` is missing or empty")),
        (None, None) => call.session().await?.send_message(message).await?,
    };
    Ok(stored("Logged", sent))
}

/// Returns the reply about a stored message.
pub fn stored(done: &str, sent: Sent) -> Reply {
    let text = format!("{done} as message {} of the session", sent.message.seq());
    Reply::new(text, sent.queued_user_messages)
}
