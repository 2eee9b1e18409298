//! Files by their content: uploaded once, read by their address for ever.

use super::extract::Named;
use api::blobs::{BlobMade, MOST_BYTES};
use api::serve::BodyReader;
use api::{Problem, ProblemCode};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http_range_header::parse_range_header;
use hub::Scoped;
use model::message_type::file::Preview;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use store::Blob;
use tokio::sync::Semaphore;

/// Uploads at a time.
const AT_ONCE: usize = 4;
/// Memory of one upload in bytes: a part that is received, and one that is stored.
const IN_MEMORY: usize = 2 << 20;

/// The type of a picture that is drawn, in words of ours: an uploader's may say anything.
pub fn drawn(mime: &str) -> Option<&'static str> {
    Preview::of(mime).filter(|(preview, _)| *preview == Preview::Image).map(|(_, mime)| mime)
}

/// The running uploads. Agents can't use up all of them.
#[derive(Clone)]
pub struct Uploads {
    people: Arc<Semaphore>,
    agents: Arc<Semaphore>,
}

impl Default for Uploads {
    fn default() -> Self {
        let turns = || Arc::new(Semaphore::new(AT_ONCE));
        Self { people: turns(), agents: turns() }
    }
}

pub async fn upload(
    State(uploads): State<Uploads>,
    Extension(scoped): Extension<Scoped>,
    request: Request,
) -> Response {
    let turns = if scoped.caller.key_id().is_some() { &uploads.agents } else { &uploads.people };
    let Ok(_turn) = turns.try_acquire() else {
        let busy =
            Problem::new(ProblemCode::UploadsBusy, format!("The maximum of {AT_ONCE} concurrent uploads is reached"));
        return Problem { retry_after: Some(2), ..busy }.into_response();
    };
    let mime = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mime = match mime.split(';').next().map(str::trim) {
        None | Some("") => "application/octet-stream".to_owned(),
        Some(mime) => mime.to_ascii_lowercase(),
    };
    let (head, body) = request.into_parts();
    let mut body = match BodyReader::new(&head, body, MOST_BYTES, IN_MEMORY) {
        Ok(body) => body,
        Err(problem) => return problem.into_response(),
    };
    match store(&scoped, mime, &mut body).await {
        Ok((made, true)) => (StatusCode::CREATED, Json(made)).into_response(),
        Ok((made, false)) => ([("idempotent-replayed", "true")], Json(made)).into_response(),
        Err(problem) => {
            body.discard();
            problem.into_response()
        }
    }
}

async fn store(scoped: &Scoped, mime: String, body: &mut BodyReader) -> Result<(BlobMade, bool), Problem> {
    let mut upload = scoped.begin_blob(mime)?;
    while let Some(bytes) = body.next_part().await? {
        upload.add(&bytes).await?;
    }
    upload.finish().await
}

/// Serves a blob, or the one range of it that is asked for, by which players seek. What browsers show is served as
/// that; everything else is only saved. By what name, the link says: one file may have many.
pub async fn blob(Extension(scoped): Extension<Scoped>, Named(sha256): Named<String>, asked: HeaderMap) -> Response {
    match answer(&scoped, &sha256, &asked).await {
        Ok(response) => response,
        Err(problem) => problem.into_response(),
    }
}

async fn answer(scoped: &Scoped, address: &str, asked: &HeaderMap) -> Result<Response, Problem> {
    let blob = scoped.blob(address).await?;
    let (etag, size) = (format!("\"{}\"", blob.sha256), blob.size);
    let mut response = match part(asked, size, &etag) {
        Part::Whole => bytes(scoped, &blob, 0..size).await?.into_response(),
        Part::Range(range) => {
            let position = format!("bytes {}-{}/{size}", range.start(), range.end());
            let of_it = bytes(scoped, &blob, *range.start()..range.end() + 1).await?;
            (StatusCode::PARTIAL_CONTENT, [(header::CONTENT_RANGE, position)], of_it).into_response()
        }
        Part::Outside => {
            let position = format!("bytes */{size}");
            (StatusCode::RANGE_NOT_SATISFIABLE, [(header::CONTENT_RANGE, position)]).into_response()
        }
    };
    let is_here = response.status().is_success();
    let headers = response.headers_mut();
    let shown = Preview::of(&blob.mime);
    let mime = shown.map_or("application/octet-stream", |(_, mime)| mime);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(mime));
    if shown.is_none() {
        headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    }
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(header::ETAG, etag);
    }
    if is_here {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
    }
    // Somebody else's content: should a browser open it as a page after all, it can do nothing.
    // Safari's viewer of PDFs doesn't start in a sandbox.
    let is_pdf = matches!(shown, Some((Preview::Pdf, _)));
    let policy = if is_pdf { "default-src 'none'; style-src 'unsafe-inline'" } else { "default-src 'none'; sandbox" };
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    Ok(response)
}

/// The bytes of a range that the blob has. They are read while they are sent: where they are found damaged then, the
/// answer ends before its `Content-Length`.
async fn bytes(scoped: &Scoped, blob: &Blob, range: Range<u64>) -> Result<impl IntoResponse + use<>, Problem> {
    let length = range.end - range.start;
    let parts = scoped.read_blob(blob, range).await?;
    Ok(([(header::CONTENT_LENGTH, length)], Body::from_stream(parts)))
}

/// The requested part of a blob.
enum Part {
    Whole,
    Range(RangeInclusive<u64>),
    Outside,
}

/// Several ranges, another unit, or a range of other bytes: a server may answer with the whole.
fn part(asked: &HeaderMap, size: u64, etag: &str) -> Part {
    let known = asked.get(header::IF_RANGE).is_none_or(|of| of == etag);
    let ranges = asked.get(header::RANGE).filter(|_| known).and_then(|value| value.to_str().ok());
    let one = ranges.and_then(|text| parse_range_header(text).ok()).filter(|ranges| ranges.len() == 1);
    match one.map(|ranges| ranges.validate(size)) {
        None => Part::Whole,
        Some(valid) => valid.ok().and_then(|ranges| ranges.into_iter().next()).map_or(Part::Outside, Part::Range),
    }
}
