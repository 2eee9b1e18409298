//! Transports: ways to send a request to the server.

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

/// Status and body of a response.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Seconds after which a retry may succeed: the `Retry-After` header, if the transport reports it.
    pub retry_after: Option<u32>,
    /// The bytes of the body.
    pub body: Vec<u8>,
}

impl Answer {
    /// Returns the problem of a response with a status of 400 or more. Its code is `bad_answer` if the body isn't a
    /// problem, for example of a proxy.
    pub fn problem(&self) -> Problem {
        let unreadable = || {
            let problem = Problem::outside(self.status, "bad_answer", format!("The server answered {}", self.status));
            // Verbatim's own 404 has a problem as its body: this one came from another server.
            if self.status == 404 {
                problem.hint("Check that the address is that of a Verbatim server, with its path if it has one")
            } else {
                problem
            }
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

/// A pending response. The error is a problem with the status 0: the server may have handled the request or not.
pub type Sending<'a> = Pin<Box<dyn Future<Output = Result<Answer, Problem>> + Send + 'a>>;

/// Sends requests. Bodies are JSON.
pub trait Transport: Send + Sync {
    /// Sends a request to a path of the server, and waits for the whole response. A status of 400 or more is no error.
    fn send(&self, method: Method, path_and_query: String, body: Option<Vec<u8>>) -> Sending<'_>;
}
