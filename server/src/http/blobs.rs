//! Files by their content: uploaded once, read by their address for ever.

use super::asked::Named;
use api::Problem;
use api::blobs::MOST_BYTES;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use hub::Scoped;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Uploads at a time: each lies in memory until it is stored.
const AT_ONCE: usize = 4;
/// Pictures of these types are drawn; everything else is only saved.
const DRAWN: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The type of a picture that is drawn, in words of ours: an uploader's may say anything.
pub fn drawn(mime: &str) -> Option<&'static str> {
    DRAWN.into_iter().find(|known| *known == mime)
}

/// Who uploads now.
#[derive(Clone)]
pub struct Uploads(Arc<Semaphore>);

impl Default for Uploads {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

pub async fn upload(
    State(uploads): State<Uploads>,
    Extension(scoped): Extension<Scoped>,
    request: Request,
) -> Response {
    let Ok(_turn) = uploads.0.try_acquire() else {
        let busy = Problem::new(429, "uploads_busy", format!("{AT_ONCE} uploads are going on"));
        return Problem { retry_after: Some(2), ..busy }.into_response();
    };
    let mime = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mime = match mime.split(';').next().map(str::trim) {
        None | Some("") => "application/octet-stream".to_owned(),
        Some(mime) => mime.to_ascii_lowercase(),
    };
    let (head, body) = request.into_parts();
    let bytes = match api::serve::read_body(&head, body, MOST_BYTES).await {
        Ok(bytes) => bytes,
        Err(problem) => return problem.into_response(),
    };
    match scoped.put_blob(&mime, bytes.into()).await {
        Ok((made, true)) => (StatusCode::CREATED, Json(made)).into_response(),
        Ok((made, false)) => ([("idempotent-replayed", "true")], Json(made)).into_response(),
        Err(problem) => problem.into_response(),
    }
}

pub async fn blob(Extension(scoped): Extension<Scoped>, Named(sha256): Named<String>) -> Response {
    let blob = match scoped.blob(&sha256).await {
        Ok(blob) => blob,
        Err(problem) => return problem.into_response(),
    };
    let mut response = match drawn(&blob.mime) {
        Some(mime) => ([(header::CONTENT_TYPE, mime)], blob.bytes).into_response(),
        None => saved(blob.bytes),
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
    // Somebody else's content: should a browser open it as a page after all, it can do nothing.
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
    response
}

/// To be saved. By what name, the link says: one file may have many.
fn saved(bytes: Vec<u8>) -> Response {
    let kind = (header::CONTENT_TYPE, "application/octet-stream");
    ([kind, (header::CONTENT_DISPOSITION, "attachment")], bytes).into_response()
}
