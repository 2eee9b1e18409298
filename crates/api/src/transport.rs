//! How a request reaches the server.

#[cfg(feature = "fetch")]
pub mod fetch;
#[cfg(feature = "axum")]
pub mod in_process;
#[cfg(feature = "reqwest")]
pub mod reqwest;
#[cfg(feature = "fetch")]
pub mod upload;

use crate::{Method, Problem, json};
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

impl Answer {
    /// Returns the problem that an answer of 400 or more describes. A server in between, such as a proxy, describes none: then
    /// its code is `bad_answer`.
    pub fn problem(&self) -> Problem {
        let unreadable = || {
            let problem = Problem::outside(self.status, "bad_answer", format!("The server answered {}", self.status));
            // Verbatim's own 404 has a problem as its body: this one came from another server.
            if self.status == 404 { problem.hint("Is the address Verbatim's own, without a path?") } else { problem }
        };
        let problem = problem_of(&self.body).unwrap_or_else(unreadable);
        Problem { retry_after: problem.retry_after.or(self.retry_after), ..problem }
    }
}

#[cfg(not(feature = "fetch"))]
fn problem_of(body: &[u8]) -> Option<Problem> {
    json::read(body).ok()
}

#[cfg(feature = "fetch")]
fn problem_of(body: &[u8]) -> Option<Problem> {
    let said = json::Json::of_bytes(body)?;
    let number = |name: &str| said.number(name);
    let problem = Problem::outside(u16::try_from(number("status")?).ok()?, &said.text("code")?, said.text("title")?);
    let retry_after = number("retry_after").and_then(|seconds| u32::try_from(seconds).ok());
    let (hint, field, expected) = (said.text("hint"), said.text("field"), said.text("expected"));
    // The browser never reads `current`.
    Some(Problem { hint, field, expected, retry_after, ..problem })
}

/// A request on its way. Its error is a problem with the status 0: what the request did isn't known.
pub type Sending<'a> = Pin<Box<dyn Future<Output = Result<Answer, Problem>> + Send + 'a>>;

/// Sends one request. `body` is JSON.
pub trait Transport: Send + Sync {
    /// Sends a request of the server's own, below its base address, and waits for the whole answer. A status of 400 or
    /// more is an answer too.
    fn send(&self, method: Method, path_and_query: String, body: Option<Vec<u8>>) -> Sending<'_>;
}
