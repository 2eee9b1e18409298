//! `recall`: what people said, in the sessions that the key may read.

use crate::call::{Call, Refusal, Reply, read};
use crate::schema;
use api::memory::{MemoryQuery, Recalled};
use model::text::one_line;
use serde_json::{Map, Value, json};

/// Memories, where the agent asks for no other number: each takes room in its context.
const MEMORIES: u32 = 10;
/// Longest title of a session, in characters.
const TITLE: usize = 80;

/// The parameters of the endpoint.
pub fn schema() -> Map<String, Value> {
    let mut schema = schema::of::<MemoryQuery>();
    schema.insert("required".to_owned(), json!(["q"]));
    schema
}

pub async fn run(call: &Call, arguments: Map<String, Value>) -> Result<Reply, Refusal> {
    let mut query: MemoryQuery = read(arguments)?;
    query.limit.get_or_insert(MEMORIES);
    let page = call.client.verbatim.recall(query).await?;
    let found = match page.memories.len() {
        0 => "Nothing that people said matches".to_owned(),
        1 => "1 memory".to_owned(),
        many => format!("{many} memories, the best first"),
    };
    let mut lines = vec![found];
    lines.extend(page.memories.iter().map(line));
    Ok(Reply::new(lines.join("\n"), Vec::new()))
}

fn line(memory: &Recalled) -> String {
    let title = one_line(&memory.session_title, TITLE);
    let said = memory.text.trim();
    format!("- in \"{title}\" (session {}, message {}): {said}", memory.session_id, memory.seq)
}
