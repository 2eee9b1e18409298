//! Parts of a transcript: loaded through the client, drawn by `app`.

use super::Site;
use api::messages::ListMessages;
use api::sessions::{SessionDetail, SessionPath};
use api::{Nothing, Problem};
use app::pages::session::{CHUNK, Dev};
use app::transcript::{Detail, TranscriptOptions};
use model::SessionId;
use std::collections::HashMap;
use std::sync::Arc;

/// Chunks that a page begins with at its end: enough for any screen.
const LAST: i64 = 2;

fn path(detail: &SessionDetail) -> SessionPath {
    SessionPath { session: detail.session.id.to_string() }
}

async fn options(site: &Site, detail: &SessionDetail, dev: Dev) -> Result<TranscriptOptions, Problem> {
    let session = &detail.session;
    let mut options = TranscriptOptions::new(session.id.clone(), session.last_seq, hub::clock::now());
    options.dev = dev == Dev::On;
    options.answers = session.registered;
    if session.todos_open + session.todos_done > 0 {
        options.newest_todo = site.client.get_todos(path(detail), Nothing {}).await?.seq;
    }
    if session.child_count > 0 {
        let children = site.client.list_children(path(detail), Nothing {}).await?.sessions;
        let by_call: HashMap<String, SessionId> =
            children.into_iter().filter_map(|child| Some((child.call_id?, child.id))).collect();
        options.children = Arc::new(by_call);
    }
    Ok(options)
}

/// The chunks that a session's page begins with: the last ones, or those around `at`.
pub async fn first_chunks(
    site: &Site,
    detail: &SessionDetail,
    dev: Dev,
    at: Option<i64>,
) -> Result<Vec<(i64, String)>, Problem> {
    let options = options(site, detail, dev).await?;
    let last = (detail.session.last_seq - 1).max(0) / CHUNK;
    let (from, to) = match at.map(|seq| ((seq - 1) / CHUNK).clamp(0, last)) {
        Some(middle) => ((middle - 1).max(0), (middle + 1).min(last)),
        None => ((last - LAST + 1).max(0), last),
    };
    let mut chunks = Vec::new();
    for index in from..=to {
        chunks.push((index, draw(site, detail, dev, index, &options).await?));
    }
    Ok(chunks)
}

/// One chunk. Past the end of the session it is empty.
pub async fn chunk(site: &Site, detail: &SessionDetail, dev: Dev, index: i64) -> Result<String, Problem> {
    if !(0..=i64::MAX / CHUNK - 1).contains(&index) {
        return Err(Problem::not_found("part of the transcript"));
    }
    draw(site, detail, dev, index, &options(site, detail, dev).await?).await
}

async fn draw(
    site: &Site,
    detail: &SessionDetail,
    dev: Dev,
    index: i64,
    options: &TranscriptOptions,
) -> Result<String, Problem> {
    let from = index * CHUNK + 1;
    let page = site.client.list_messages(path(detail), span(from, from + CHUNK - 1, dev)).await?;
    // Colouring a large diff takes milliseconds: not on a thread that serves others.
    let options = options.clone();
    tokio::task::spawn_blocking(move || app::transcript::chunk(&page, &options)).await.map_err(|_| Problem::internal())
}

/// One message by itself, as much of it as is asked for.
pub async fn article(
    site: &Site,
    session: &SessionDetail,
    dev: Dev,
    seq: i64,
    detail: Detail,
) -> Result<String, Problem> {
    let options = TranscriptOptions { detail, ..options(site, session, dev).await? };
    let page = site.client.list_messages(path(session), span(seq, seq, Dev::On)).await?;
    let entry = page.messages.into_iter().next().ok_or_else(|| Problem::not_found("message"))?;
    let draw = move || app::message_renderer::render_article(&entry, &options);
    tokio::task::spawn_blocking(draw).await.map_err(|_| Problem::internal())
}

/// The messages `from..=to`, both included.
fn span(from: i64, to: i64, dev: Dev) -> ListMessages {
    let dev = (dev == Dev::On).then_some(1);
    ListMessages { from: Some(from), to: Some(to), dev, limit: Some(500), ..ListMessages::default() }
}
