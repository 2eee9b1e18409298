//! The parts of a message that the browser reads: its text and its position. Parsing the whole reply would add a fifth
//! to the WebAssembly.

use api::contract::GetMessage;
use api::json::Json;
use api::{Problem, Route as _};
use app::browser::fragment;

pub struct MessageText {
    pub seq: i64,
    /// Markdown.
    pub content: String,
    /// In one line.
    pub summary: String,
}

/// Reads a message by its id, or by its `seq` as a number.
pub async fn read(session: &str, message: &str) -> Result<MessageText, Problem> {
    let path = GetMessage.path([session, message]);
    let bytes = fragment::client().get_bytes(&path).await?;
    let text = || {
        let entry = Json::of_bytes(&bytes)?.field("entry")?;
        Some(MessageText {
            seq: entry.number("seq")?,
            content: entry.text("content")?,
            summary: entry.text("summary").unwrap_or_default(),
        })
    };
    text().ok_or_else(|| Problem::transport("The server's response is invalid"))
}
