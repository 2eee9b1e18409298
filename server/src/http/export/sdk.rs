//! A session as messages that the SDK of a model takes.

use super::{download, file_name};
use agents::context::of_messages;
use api::messages::ListMessages;
use api::sessions::SessionPath;
use api::{Api as _, Nothing, Problem};
use app::shared::message_filter::MessageFilter;
use axum::body::Body;
use axum::response::Response;
use futures::stream::{self, StreamExt as _};
use hub::Scoped;
use model::Message;
use model::model_context::format::{ContextFormat, body};
use model::policy::model_may_find;
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;

/// Messages that are read at once, unless they are long.
const PAGE: u32 = 500;

/// All messages of a session that a model may be given, as the body of a request, written page by page. A call and its
/// result are one message here, so no page parts them. `format` is one of the JSON ones.
pub async fn messages(
    scoped: Scoped,
    path: SessionPath,
    filter: MessageFilter,
    format: ContextFormat,
) -> Result<Response, Problem> {
    let session = scoped.get_session(path, Nothing {}).await?.session;
    let (named, last) = (SessionPath { session: session.id.to_string() }, session.last_seq);
    let name = file_name(&session, &format!("{format}.json"));
    let list = if format == ContextFormat::Gemini { "contents" } else { "messages" };
    let filter = Arc::new(filter);
    let pieces = stream::try_unfold((0, true), move |(after, is_first)| {
        let (scoped, named, filter) = (scoped.clone(), named.clone(), Arc::clone(&filter));
        async move {
            if after >= last {
                return Ok(None);
            }
            let query = ListMessages {
                after: Some(after),
                types: filter.types.clone(),
                roles: filter.roles.clone(),
                dev: Some(1),
                limit: Some(PAGE),
                ..ListMessages::default()
            };
            let page = scoped.list_messages(named, query).await.map_err(io::Error::other)?;
            let after = page.to.max(after + 1);
            let messages = page.messages.into_iter().map(|entry| entry.message);
            let messages: Vec<Message> = messages.filter(|message| model_may_find(&message.draft)).collect();
            let piece = written(&messages, list, format).map_err(io::Error::other)?;
            let comma = if is_first || piece.is_empty() { "" } else { "," };
            let is_first = is_first && piece.is_empty();
            Ok::<_, io::Error>(Some((format!("{comma}{piece}").into_bytes(), (after, is_first))))
        }
    });
    let ends = |text: String| stream::once(async { Ok::<_, io::Error>(text.into_bytes()) });
    let whole = ends(format!("{{\"{list}\":[")).chain(pieces).chain(ends("]}".to_owned()));
    Ok(download(&name, "application/json", Body::from_stream(whole)))
}

/// The messages as JSON, with commas between them.
fn written(messages: &[Message], list: &str, format: ContextFormat) -> serde_json::Result<String> {
    let mut body = body(&of_messages(messages, None, ""), format).unwrap_or_default();
    let mut items = body.get_mut(list).and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default();
    if format == ContextFormat::Anthropic {
        // Thoughts are taken only with a signature, which messages don't have.
        let is_taken =
            |part: &Value| part.get("type").is_none_or(|kind| kind != "thinking") || part.get("signature").is_some();
        items.retain_mut(|item| {
            let Some(parts) = item.get_mut("content").and_then(Value::as_array_mut) else { return true };
            parts.retain(is_taken);
            !parts.is_empty()
        });
    }
    let write = |mut item: Value| {
        // Among its messages this API knows no others: what the system says goes with what people say.
        let role = item.get_mut("role").filter(|role| format == ContextFormat::Anthropic && **role == "system");
        if let Some(role) = role {
            *role = json!("user");
        }
        serde_json::to_string(&item)
    };
    Ok(items.into_iter().map(write).collect::<serde_json::Result<Vec<_>>>()?.join(","))
}
