//! One client for SDK, commands and browser; the transport makes the difference.

use crate::Problem;
use crate::endpoint::{Endpoint, Method};
use crate::json;
use crate::transport::{Answer, Transport};
use std::sync::Arc;

/// A typed client of the API. Clones share their transport. It repeats nothing.
#[derive(Clone)]
pub struct Client {
    transport: Arc<dyn Transport>,
}

impl Client {
    /// Makes a client over any transport.
    pub fn new(transport: impl Transport + 'static) -> Self {
        Self { transport: Arc::new(transport) }
    }

    /// Calls one endpoint of the table.
    ///
    /// # Errors
    ///
    /// The server's problem; `transport` if it can't be reached or the request can't be written; `unreadable` if its
    /// answer is no reply of this endpoint. The last two have the status 0.
    pub async fn call<E: Endpoint>(&self, path: E::Path, input: E::Input) -> Result<E::Reply, Problem> {
        let (target, body) = encode::<E>(&path, &input)?;
        let body = success(self.transport.send(E::INFO.method, target, body).await?)?;
        json::read(&body).map_err(|e| unreadable(&e))
    }

    /// Calls one endpoint without reading its answer, for those who see elsewhere what comes of it.
    ///
    /// # Errors
    ///
    /// As for [`Self::call`], without `unreadable`.
    pub async fn tell<E: Endpoint>(&self, path: E::Path, input: E::Input) -> Result<(), Problem> {
        let (target, body) = encode::<E>(&path, &input)?;
        success(self.transport.send(E::INFO.method, target, body).await?).map(drop)
    }

    /// Reads a route outside the table, as bytes.
    ///
    /// # Errors
    ///
    /// The server's problem, or `transport` if it can't be reached.
    pub async fn get_bytes(&self, path_and_query: &str) -> Result<Vec<u8>, Problem> {
        success(self.transport.send(Method::Get, path_and_query.to_owned(), None).await?)
    }
}

/// One segment of a path, escaped.
#[cfg(not(feature = "fetch"))]
pub fn segment(text: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

    /// What stays as it is: RFC 3986's unreserved characters, and what browsers let stay, so that links are equal.
    const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~')
        .remove(b'!')
        .remove(b'\'')
        .remove(b'(')
        .remove(b')')
        .remove(b'*');
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// One segment of a path, escaped.
#[cfg(feature = "fetch")]
pub fn segment(text: &str) -> String {
    js_sys::encode_uri_component(text).into()
}

fn success(answer: Answer) -> Result<Vec<u8>, Problem> {
    if answer.status < 400 { Ok(answer.body) } else { Err(refusal(&answer)) }
}

/// Returns the problem that an answer of 400 or more tells. Who stands in between, as a proxy, tells less: then its
/// code is `bad_answer`.
pub fn refusal(answer: &Answer) -> Problem {
    let unreadable = || {
        let problem = Problem::new(answer.status, "bad_answer", format!("The server answered {}", answer.status));
        // Verbatim's own 404 has a problem as its body: this one came from another server.
        if answer.status == 404 { problem.hint("Is the address Verbatim's own, without a path?") } else { problem }
    };
    let problem = problem_of(&answer.body).unwrap_or_else(unreadable);
    Problem { retry_after: problem.retry_after.or(answer.retry_after), ..problem }
}

#[cfg(not(feature = "fetch"))]
fn problem_of(body: &[u8]) -> Option<Problem> {
    json::read(body).ok()
}

#[cfg(feature = "fetch")]
fn problem_of(body: &[u8]) -> Option<Problem> {
    let said = json::Json::of_bytes(body)?;
    let number = |name: &str| said.number(name);
    let problem = Problem::new(u16::try_from(number("status")?).ok()?, &said.text("code")?, said.text("title")?);
    let retry_after = number("retry_after").and_then(|seconds| u32::try_from(seconds).ok());
    let (hint, field, expected) = (said.text("hint"), said.text("field"), said.text("expected"));
    // The browser never reads `current`.
    Some(Problem { hint, field, expected, retry_after, ..problem })
}

/// Makes the problem `unreadable`: something answered, but not with what was asked for. Asking again gives the same.
pub fn unreadable(why: &str) -> Problem {
    Problem::new(0, "unreadable", format!("The server's answer can't be read: {why}"))
}

/// Path and query, and the JSON body of everything but GET.
fn encode<E: Endpoint>(path: &E::Path, input: &E::Input) -> Result<(String, Option<Vec<u8>>), Problem> {
    let unfit = |what: &str| Problem::transport(format!("This request can't be written: {what}"));
    let mut target = E::INFO.path.to_owned();
    if let serde_json::Value::Object(fields) = serde_json::to_value(path).map_err(|e| unfit(&e.to_string()))? {
        for (name, value) in fields {
            let text = value.as_str().map(str::to_owned).or_else(|| value.as_i64().map(|n| n.to_string()));
            let text = text.ok_or_else(|| unfit("a part of its path is neither text nor an integer"))?;
            target = target.replace(&format!("{{{name}}}"), &segment(&text));
        }
    }
    if E::INFO.method == Method::Get {
        let query = serde_html_form::to_string(input).map_err(|e| unfit(&e.to_string()))?;
        Ok((if query.is_empty() { target } else { format!("{target}?{query}") }, None))
    } else {
        Ok((target, Some(json::write(input).map_err(|e| unfit(&e))?.into_bytes())))
    }
}
