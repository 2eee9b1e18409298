//! The server's side of the contract: reads a request the way `client` writes it, and writes the answer.

use crate::Problem;
use crate::endpoint::{Endpoint, Input as _, Method, Reply};
use axum::Json;
use axum::RequestExt as _;
use axum::extract::{Path, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodFilter;
use serde_path_to_error::Segment;
use std::fmt::Display;

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let retry_after = self.retry_after;
        let mut response = (status, [(header::CONTENT_TYPE, "application/problem+json")], Json(self)).into_response();
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

pub(crate) fn filter(method: Method) -> MethodFilter {
    match method {
        Method::Get => MethodFilter::GET,
        Method::Post => MethodFilter::POST,
        Method::Put => MethodFilter::PUT,
        Method::Patch => MethodFilter::PATCH,
        Method::Delete => MethodFilter::DELETE,
    }
}

/// Path and input of an endpoint, or a 400, 413 or 415 that says what is wrong with them.
pub(crate) async fn read<E: Endpoint>(mut request: Request) -> Result<(E::Path, E::Input), Problem> {
    let Path(path) =
        request.extract_parts::<Path<E::Path>>().await.map_err(|e| Problem::new(400, "invalid_path", e.body_text()))?;
    let revision = if_match(request.headers())?;
    let mut input = if E::INFO.method == Method::Get {
        let query = request.uri().query().unwrap_or_default();
        let query = serde_html_form::Deserializer::from_bytes(query.as_bytes());
        serde_path_to_error::deserialize(query).map_err(|e| invalid("invalid_query", &e, Part::Query))?
    } else {
        read_json(request, E::INFO.limit).await?
    };
    if let Some(revision) = revision {
        let field = E::Input::if_match(&mut input).ok_or_else(|| Problem {
            field: Some("If-Match".to_owned()),
            ..Problem::new(400, "no_revisions", "This has no revisions")
        })?;
        *field = Some(revision);
    }
    Ok((path, input))
}

/// The revision that the header `If-Match` names, with or without the quotes of an entity tag.
fn if_match(headers: &header::HeaderMap) -> Result<Option<i32>, Problem> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.trim().trim_matches('"').parse().ok());
    number.map(Some).ok_or_else(|| Problem::field("If-Match", "the `revision` of the message, a number"))
}

/// A JSON body of at most `limit` bytes.
pub async fn read_json<T: serde::de::DeserializeOwned>(request: Request, limit: usize) -> Result<T, Problem> {
    let not_json = || Problem::new(415, "not_json", "The body should be `application/json`");
    let content_type = request.headers().get(header::CONTENT_TYPE);
    let untold = content_type.is_none();
    // A plain form post from another site can't have this type: one of the walls against forged requests.
    if let Some(content_type) = content_type {
        let essence = content_type.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("application/json") {
            return Err(not_json());
        }
    }
    let too_large = || Problem::new(413, "too_large", format!("The body is larger than {limit} bytes"));
    let body = axum::body::to_bytes(request.into_body(), limit).await.map_err(|_| too_large())?;
    // Who sends nothing needn't say of what type it is.
    if untold && !body.is_empty() {
        return Err(not_json());
    }
    let body: &[u8] = if body.is_empty() { b"{}" } else { &body };
    // serde would read an object's fields from a list by position too.
    if body.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Err(Problem::new(400, "invalid_body", "The body should be an object"));
    }
    let mut reader = serde_json::Deserializer::from_slice(body);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|e| invalid("invalid_body", &e, Part::Body))?;
    reader.end().map_err(|e| Problem::new(400, "invalid_body", e.to_string()))?;
    Ok(read)
}

/// Where a field stands.
#[derive(Clone, Copy)]
enum Part {
    /// It is named as its parameter.
    Query,
    /// It is named by a JSON pointer.
    Body,
}

fn invalid<E: Display>(code: &str, error: &serde_path_to_error::Error<E>, part: Part) -> Problem {
    let message = error.inner().to_string();
    let mut names: Vec<String> = error.path().iter().filter_map(name).collect();
    if names.is_empty() {
        // The path ends above a field that is missing or unknown; serde names it between backticks.
        names.extend(message.split('`').nth(1).map(str::to_owned));
    }
    let field = match part {
        Part::Query => names.first().cloned(),
        Part::Body if names.is_empty() => None,
        Part::Body => Some(format!("/{}", names.join("/"))),
    };
    Problem { field, ..Problem::new(400, code, message) }
}

fn name(segment: &Segment) -> Option<String> {
    match segment {
        Segment::Map { key } => Some(key.clone()),
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Enum { .. } | Segment::Unknown => None,
    }
}

pub(crate) fn answer<R: Reply>(result: Result<R, Problem>) -> Response {
    match result {
        Ok(reply) => {
            let status = StatusCode::from_u16(reply.status()).unwrap_or(StatusCode::OK);
            let replayed = reply.replayed();
            let mut response = (status, Json(reply)).into_response();
            if replayed {
                response.headers_mut().insert("idempotent-replayed", header::HeaderValue::from_static("true"));
            }
            response
        }
        Err(problem) => problem.into_response(),
    }
}
