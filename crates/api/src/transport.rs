//! How a request reaches the server.

#[cfg(feature = "fetch")]
pub mod fetch;
#[cfg(feature = "axum")]
pub mod in_process;
#[cfg(feature = "reqwest")]
pub mod reqwest;
#[cfg(feature = "fetch")]
pub mod upload;

use crate::{Method, Problem};
use std::future::Future;
use std::pin::Pin;

/// Status and body of an answer.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Seconds after which a repeat may succeed: the header `Retry-After`, where the transport tells it.
    pub retry_after: Option<u32>,
    /// The bytes of the body.
    pub body: Vec<u8>,
}

/// A request on its way. Its error is a problem with the status 0: what the request did isn't known.
pub type Sending<'a> = Pin<Box<dyn Future<Output = Result<Answer, Problem>> + Send + 'a>>;

/// Sends one request. `body` is JSON.
pub trait Transport: Send + Sync {
    /// Sends a request of the server's own, below its base address, and waits for the whole answer. A status of 400 or
    /// more is an answer too.
    fn send(&self, method: Method, path_and_query: String, body: Option<Vec<u8>>) -> Sending<'_>;
}
