//! A session and its sub-agents with everything that hangs on them, as lines that can be imported again.

use super::{download, file_name};
use api::sessions::SessionPath;
use api::{Api as _, Nothing, Problem};
use axum::body::Body;
use axum::response::Response;
use futures::stream;
use hub::Scoped;

pub async fn archive(scoped: Scoped, path: SessionPath) -> Result<Response, Problem> {
    let session = scoped.get_session(path, Nothing {}).await?.session;
    let mask = scoped.redactor.clone().map(hub::redaction::mask);
    let archive = scoped.archive(&SessionPath { session: session.id.to_string() }, mask).await?;
    // Damaged or changing data aborts the transfer. The last line is missing then.
    let pieces = stream::try_unfold(archive, async |mut archive| {
        let piece = archive.next_piece().await.map_err(std::io::Error::other)?;
        Ok::<_, std::io::Error>(piece.map(|piece| (piece, archive)))
    });
    Ok(download(&file_name(&session, "jsonl"), "application/x-ndjson", Body::from_stream(pieces)))
}
