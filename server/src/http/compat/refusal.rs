//! Errors in the older product's words: `{"detail": ...}`.

use api::Problem;
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// An error that an agent gets instead of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    status: u16,
    /// A text; a list where a field is wrong (422).
    detail: Value,
    /// Seconds after which a repeat may succeed.
    retry_after: Option<u32>,
}

impl Refusal {
    pub fn new(status: u16, detail: &str) -> Self {
        Self { status, detail: Value::from(detail), retry_after: None }
    }

    /// A field of the request that is missing or of another type.
    pub fn field(place: &str, name: &str, kind: &str, says: &str) -> Self {
        let detail = json!([{"type": kind, "loc": [place, name], "msg": says}]);
        Self { status: 422, detail, retry_after: None }
    }

    /// The body as a whole can't be read.
    pub fn body(kind: &str, says: &str) -> Self {
        let detail = json!([{"type": kind, "loc": ["body"], "msg": says}]);
        Self { status: 422, detail, retry_after: None }
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        // The SDK knows a conflict, but no revisions.
        let status = if problem.status == 412 { 409 } else { problem.status };
        Self { status, detail: Value::from(problem.title), retry_after: problem.retry_after }
    }
}

/// A session that can't be made, in the fields of the request that asked for it.
pub fn of_session(problem: Problem) -> Refusal {
    let title = problem.title.replace("`/agent`", "`agent_type`").replace("`/title`", "`name`");
    Problem { title, ..problem }.into()
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(json!({"detail": self.detail}))).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}
