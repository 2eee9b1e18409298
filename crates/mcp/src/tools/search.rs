//! `search`: the history of all sessions that the key may read.

use crate::call::{Call, Refusal, Reply, read};
use crate::schema;
use api::search::{Hit, SearchQuery};
use model::text::one_line;
use serde_json::{Map, Value};

/// Hits of a page, where the agent asks for no other number: each takes room in its context.
const HITS: u32 = 20;
/// Longest title of a session, in characters.
const TITLE: usize = 80;
/// Longest path of a file, in characters.
const PATH: usize = 240;

/// The parameters of the endpoint.
pub fn schema() -> Map<String, Value> {
    schema::of::<SearchQuery>()
}

pub async fn run(call: &Call, arguments: Map<String, Value>) -> Result<Reply, Refusal> {
    let mut query: SearchQuery = read(arguments)?;
    query.limit.get_or_insert(HITS);
    let page = call.client.verbatim.search(query).await?;
    let found = match (page.total, page.total_is_floor) {
        (total, true) => format!("{total} or more messages match"),
        (1, false) => "1 message matches".to_owned(),
        (total, false) => format!("{total} messages match"),
    };
    let mut lines = vec![found];
    lines.extend(page.hits.iter().map(line));
    lines.extend(page.next.map(|next| format!("For the next page, pass `after`: `{next}`")));
    Ok(Reply::new(lines.join("\n"), Vec::new()))
}

fn line(hit: &Hit) -> String {
    let title = one_line(&hit.session_title, TITLE);
    let file = hit.files.first().map(|path| format!(", file {}", one_line(path, PATH))).unwrap_or_default();
    format!(
        "- {} in \"{title}\" (session {}, message {}{file}): {}",
        hit.role.as_str(),
        hit.session_id,
        hit.seq,
        hit.snippet.text
    )
}
