//! The tools over HTTP: each request stands for itself, with its own credential.
//!
//! The protocol's sessions aren't used: they would let a request go on that was begun with another credential. A client that
//! closes the connection of a call cancels it.

use crate::{Client, Server};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::convert::Infallible;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Answers HTTP requests whose sender, address and credential were checked. Cheap to clone; clones share state.
#[derive(Clone)]
pub struct Endpoint(StreamableHttpService<Server, NeverSessionManager>);

impl Endpoint {
    /// Makes an endpoint for bodies of at most `limit` bytes. Its answers end with `shutdown`.
    pub fn new(limit: usize, shutdown: CancellationToken) -> Self {
        let server = Server::default();
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            // Whoever calls us checked `Host`, by its own list.
            .disable_allowed_hosts()
            .with_max_request_body_bytes(limit)
            .with_cancellation_token(shutdown);
        Self(StreamableHttpService::new(move || Ok(server.clone()), Arc::default(), config))
    }

    /// Answers a request, for this client.
    pub async fn answer(
        &self,
        mut request: Request<Full<Bytes>>,
        client: Client,
    ) -> Response<BoxBody<Bytes, Infallible>> {
        request.extensions_mut().insert(client);
        self.0.handle(request).await
    }
}
