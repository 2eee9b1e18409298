//! The router without a socket: what server rendering, commands and tests use.

use super::{Answer, Sending, Transport};
use crate::serve::Here;
use crate::{Method, Problem};
use axum::body::Body;
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

/// The routes with the caller already in place: this transport never sees a credential.
pub struct InProcess(pub axum::Router);

impl Transport for InProcess {
    fn send(&self, method: Method, path_and_query: String, body: Option<Vec<u8>>) -> Sending<'_> {
        Box::pin(send(self.0.clone(), method, path_and_query, body, None))
    }

    fn call(&self, method: Method, path_and_query: String, body: Option<Vec<u8>>) -> Sending<'_> {
        Box::pin(send(self.0.clone(), method, path_and_query, body, Some(Here::default())))
    }
}

async fn send(
    router: axum::Router,
    method: Method,
    path_and_query: String,
    body: Option<Vec<u8>>,
    here: Option<Here>,
) -> Result<Answer, Problem> {
    let mut request = axum::http::Request::builder()
        .method(method.as_str())
        .uri(path_and_query)
        .header("content-type", "application/json")
        .body(Body::from(body.unwrap_or_default()))
        .map_err(|e| Problem::transport(e.to_string()))?;
    if let Some(here) = &here {
        request.extensions_mut().insert(here.clone());
    }
    let Ok(response) = router.oneshot(request).await;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.map_err(|e| Problem::transport(e.to_string()))?;
    let answer = Answer::new(status, None, body.to_bytes().to_vec());
    Ok(Answer { reply: here.and_then(|here| here.take()), ..answer })
}
