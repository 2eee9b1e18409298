//! Requests of this server to a provider or an authority that its options name: without redirects, and with bounds for the
//! answer.

use axum::http::{Request, Response};
use http_body_util::BodyExt as _;
use instant_acme::{BodyWrapper, BytesResponse};
use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse};
use reqwest::Client;
use reqwest::redirect::Policy;
use std::io;
use std::pin::Pin;
use std::time::Duration;
use tokio_util::bytes::Bytes;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes that an answer may have.
const MOST_BYTES: usize = 1 << 20;

/// Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct BoundedHttp(Client);

impl BoundedHttp {
    /// # Errors
    ///
    /// If TLS can't be used.
    pub fn new() -> reqwest::Result<Self> {
        Client::builder().redirect(Policy::none()).timeout(PATIENCE).build().map(Self)
    }

    /// # Errors
    ///
    /// If there is no answer in time, or it is too large.
    pub async fn send(&self, request: Request<Vec<u8>>) -> io::Result<Response<Vec<u8>>> {
        let request = request.try_into().map_err(io::Error::other)?;
        let mut answer = self.0.execute(request).await.map_err(io::Error::other)?;
        let mut response = Response::new(Vec::new());
        *response.status_mut() = answer.status();
        *response.headers_mut() = std::mem::take(answer.headers_mut());
        while let Some(bytes) = answer.chunk().await.map_err(io::Error::other)? {
            if response.body().len() + bytes.len() > MOST_BYTES {
                return Err(io::Error::other("the answer is too large"));
            }
            response.body_mut().extend_from_slice(&bytes);
        }
        Ok(response)
    }
}

impl<'c> AsyncHttpClient<'c> for BoundedHttp {
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<HttpResponse>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.send(request))
    }
}

impl instant_acme::HttpClient for BoundedHttp {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, instant_acme::Error>> + Send>> {
        let http = self.clone();
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let Ok(body) = body.collect().await;
            let sent = http.send(Request::from_parts(head, body.to_bytes().to_vec())).await;
            let (parts, body) = sent.map_err(|error| instant_acme::Error::Other(error.into()))?.into_parts();
            Ok(BytesResponse { parts, body: Box::new(Bytes::from(body)) })
        })
    }
}
