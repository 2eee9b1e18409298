//! One client for the SDK, the commands and the browser. Only the transport differs.

use crate::Problem;
use crate::endpoint::{Endpoint, Method, segment};
use crate::json;
use crate::transport::{Answer, Transport};
use std::sync::Arc;

/// A typed client of the API. Clones share their transport. It doesn't retry.
#[derive(Clone)]
pub struct Client {
    transport: Arc<dyn Transport>,
}

impl Client {
    /// Makes a client over any transport.
    pub fn new(transport: impl Transport + 'static) -> Self {
        Self { transport: Arc::new(transport) }
    }

    /// Calls one endpoint.
    ///
    /// # Errors
    ///
    /// Returns the server's problem. The problem `transport` means that the server can't be reached or the request
    /// can't be serialized; `unreadable`, that the response isn't a reply of this endpoint. Both have the status 0.
    pub async fn call<E: Endpoint>(&self, path: E::Path, input: E::Input) -> Result<E::Reply, Problem> {
        let request = encode::<E>(&path, &input)?;
        // It may be of many megabytes, and what goes out is another copy.
        drop((path, input));
        self.send::<E>(request).await
    }

    /// Like [`Self::call`], but borrows the path and the input, so that they can be sent again.
    ///
    /// # Errors
    ///
    /// As for [`Self::call`].
    pub async fn call_again<E: Endpoint>(&self, path: &E::Path, input: &E::Input) -> Result<E::Reply, Problem> {
        self.send::<E>(encode::<E>(path, input)?).await
    }

    async fn send<E: Endpoint>(&self, (target, body): (String, Option<Vec<u8>>)) -> Result<E::Reply, Problem> {
        let body = success(self.transport.send(E::INFO.method, target, body).await?)?;
        json::read(&body).map_err(|e| unreadable(&e))
    }

    /// Like [`Self::call`], but ignores the body of a successful response.
    ///
    /// # Errors
    ///
    /// Those of [`Self::call`], except `unreadable`.
    pub async fn tell<E: Endpoint>(&self, path: E::Path, input: E::Input) -> Result<(), Problem> {
        let (target, body) = encode::<E>(&path, &input)?;
        success(self.transport.send(E::INFO.method, target, body).await?).map(drop)
    }

    /// Reads a route that isn't in the endpoint table, and returns the body as bytes.
    ///
    /// # Errors
    ///
    /// Returns the server's problem, or `transport` if it can't be reached.
    pub async fn get_bytes(&self, path_and_query: &str) -> Result<Vec<u8>, Problem> {
        success(self.transport.send(Method::Get, path_and_query.to_owned(), None).await?)
    }
}

fn success(answer: Answer) -> Result<Vec<u8>, Problem> {
    if answer.status < 400 { Ok(answer.body) } else { Err(answer.problem()) }
}

/// Makes the problem `unreadable`: the response isn't what this endpoint returns. A retry doesn't help.
pub fn unreadable(why: &str) -> Problem {
    Problem::outside(0, "unreadable", format!("The server's response is invalid: {why}"))
}

/// Returns path and query, and a JSON body unless the method is GET.
fn encode<E: Endpoint>(path: &E::Path, input: &E::Input) -> Result<(String, Option<Vec<u8>>), Problem> {
    let unfit = |what: &str| Problem::transport(format!("The request can't be serialized: {what}"));
    let mut target = E::INFO.path.to_owned();
    if let serde_json::Value::Object(fields) = serde_json::to_value(path).map_err(|e| unfit(&e.to_string()))? {
        for (name, value) in fields {
            let text = value.as_str().map(str::to_owned).or_else(|| value.as_i64().map(|n| n.to_string()));
            let text = text.ok_or_else(|| unfit("a path parameter is neither a string nor an integer"))?;
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
