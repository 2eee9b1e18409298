//! The server's side of the contract: parses requests of `client`, and writes responses.

mod body;
mod budget;

pub use body::{BodyReader, TooSlow, check_json, discard, read_body, read_json};
pub use budget::{Budget, Held};

use crate::endpoint::{Endpoint, Input as _, Method, Reply};
use crate::{Problem, ProblemCode};
use axum::Json;
use axum::RequestExt as _;
use axum::extract::{Path, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodFilter;
use model::strict;
use serde_path_to_error::Segment;
use std::fmt::Display;

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let (retry_after, refused) = (self.retry_after, Refused(self.code.clone()));
        let mut response = (status, [(header::CONTENT_TYPE, "application/problem+json")], Json(self)).into_response();
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response.extensions_mut().insert(refused);
        response
    }
}

/// The problem's `code`, as an extension of an error response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub String);

/// Number of writes that the rate limit counts, if it is more than one. An extension of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight(pub usize);

pub(crate) fn filter(method: Method) -> MethodFilter {
    match method {
        Method::Get => MethodFilter::GET,
        Method::Post => MethodFilter::POST,
        Method::Put => MethodFilter::PUT,
        Method::Patch => MethodFilter::PATCH,
        Method::Delete => MethodFilter::DELETE,
    }
}

/// Reads path and input of an endpoint. Returns 400, 413 or 415 if they are invalid.
pub(crate) async fn read<E: Endpoint>(mut request: Request) -> Result<(E::Path, E::Input), Problem> {
    let Path(path) = request
        .extract_parts::<Path<E::Path>>()
        .await
        .map_err(|e| Problem::new(ProblemCode::InvalidPath, e.body_text()))?;
    let revision = if_match(request.headers())?;
    let mut input = if E::INFO.method == Method::Get {
        read_query(request.uri().query().unwrap_or_default())?
    } else {
        read_json(request, E::INFO.limit).await?
    };
    if let Some(revision) = revision {
        let field = E::Input::if_match(&mut input).ok_or_else(|| Problem {
            field: Some("If-Match".to_owned()),
            ..Problem::new(ProblemCode::NoRevisions, "`If-Match` can't be used here: this resource has no revisions")
        })?;
        *field = Some(revision);
    }
    Ok((path, input))
}

/// Parses a query. Returns a 400 that names the invalid parameter.
pub fn read_query<T: serde::de::DeserializeOwned>(query: &str) -> Result<T, Problem> {
    let query = serde_html_form::Deserializer::from_bytes(query.as_bytes());
    serde_path_to_error::deserialize(query).map_err(|e| invalid(ProblemCode::InvalidQuery, &e, Part::Query))
}

/// Parses the revision of the `If-Match` header, with or without the quotes of an entity tag.
fn if_match(headers: &header::HeaderMap) -> Result<Option<i32>, Problem> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.trim().trim_matches('"').parse().ok());
    number.map(Some).ok_or_else(|| Problem::field("If-Match", "the `revision` of the message, a number"))
}

/// The part of a request that has a field.
#[derive(Clone, Copy)]
enum Part {
    /// Its field is named as a parameter.
    Query,
    /// Its field is named by a JSON pointer.
    Body,
}

fn invalid<E: Display>(code: ProblemCode, error: &serde_path_to_error::Error<E>, part: Part) -> Problem {
    let message = error.inner().to_string();
    // serde appends line and column; the field's pointer says more.
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(words, _)| words);
    let mut names: Vec<String> = error.path().iter().filter_map(name).collect();
    // The path ends above a field that is missing; serde names it between backticks.
    let missing = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
    names.extend(missing.map(str::to_owned));
    if names.is_empty() {
        names.extend(message.split('`').nth(1).map(str::to_owned));
    }
    let field = match part {
        Part::Query => names.first().cloned(),
        Part::Body if names.is_empty() => None,
        Part::Body => Some(names.iter().map(|name| strict::token(name)).collect()),
    };
    let Some(field) = field else { return Problem::new(code, message) };
    if missing.is_some() {
        return Problem::missing(&field).coded(code);
    }
    match strict::expected(message) {
        Some(expected) => Problem::field(&field, &expected).coded(code),
        None => Problem { field: Some(field), ..Problem::new(code, message) },
    }
}

fn name(segment: &Segment) -> Option<String> {
    match segment {
        Segment::Map { key } => Some(key.clone()),
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Enum { .. } | Segment::Unknown => None,
    }
}

/// Makes a JSON response.
fn json(reply: &impl Reply) -> Response {
    let bytes = reply.bytes();
    // Escaped characters take more space.
    let mut json = Vec::with_capacity(bytes + bytes / 8 + 256);
    match serde_json::to_writer(&mut json, reply) {
        Ok(()) => ([(header::CONTENT_TYPE, "application/json")], json).into_response(),
        Err(_) => Problem::internal().into_response(),
    }
}

pub(crate) fn answer<R: Reply>(result: Result<R, Problem>) -> Response {
    match result {
        Ok(reply) => {
            let status = StatusCode::from_u16(reply.status()).unwrap_or(StatusCode::OK);
            let (replayed, weight) = (reply.replayed(), reply.weight());
            let mut response = (status, json(&reply)).into_response();
            if replayed {
                response.headers_mut().insert("idempotent-replayed", header::HeaderValue::from_static("true"));
            }
            if weight > 1 {
                response.extensions_mut().insert(Weight(weight));
            }
            response
        }
        Err(problem) => problem.into_response(),
    }
}
