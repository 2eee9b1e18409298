//! Transport without a socket, for commands without a server and for tests.

use super::{Answer, Sending, Transport};
use crate::{Method, Problem};
use axum::body::Body;
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

/// Routes whose caller is already set, so that no credential is needed.
pub struct InProcess(pub axum::Router);

impl Transport for InProcess {
    fn send(&self, method: Method, path_and_query: String, body: Option<Vec<u8>>) -> Sending<'_> {
        Box::pin(send(self.0.clone(), method, path_and_query, body))
    }
}

async fn send(
    router: axum::Router,
    method: Method,
    path_and_query: String,
    body: Option<Vec<u8>>,
) -> Result<Answer, Problem> {
    let request = axum::http::Request::builder()
        .method(method.as_str())
        .uri(path_and_query)
        .header("content-type", "application/json")
        .body(Body::from(body.unwrap_or_default()))
        .map_err(|e| Problem::transport(e.to_string()))?;
    let Ok(response) = router.oneshot(request).await;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.map_err(|e| Problem::transport(e.to_string()))?;
    Ok(Answer { status, retry_after: None, body: body.to_bytes().into() })
}
