//! RFC 9457 problem details, the error type of the API.

use crate::ProblemCode;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An error, with a title for people and a stable `code` for programs. Internal details are logged, never sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Problem {
    /// HTTP status. 0 if no response came, or it couldn't be read.
    pub status: u16,
    /// Stable code in `snake_case`: `not_found`, `invalid_field`, `database_newer`.
    pub code: String,
    /// One sentence without a period at its end.
    pub title: String,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The invalid field: name of a query parameter, or JSON pointer into the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The values that the field accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Seconds after which a retry may succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u32>,
    /// The current message, if the request was based on an older state of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "fetch", serde(skip_deserializing))] // No island asks, and any JSON takes much code.
    pub current: Option<serde_json::Value>,
}

impl Problem {
    /// Makes a problem of the table. `title` is one sentence without a period at its end.
    pub fn new(code: ProblemCode, title: impl Into<String>) -> Self {
        Self::outside(code.status(), code.as_str(), title)
    }

    /// Makes a problem that isn't in the table: an error of a client, or of another server.
    pub fn outside(status: u16, code: &str, title: impl Into<String>) -> Self {
        let title = title.into();
        Self {
            status,
            code: code.to_owned(),
            title,
            hint: None,
            field: None,
            expected: None,
            retry_after: None,
            current: None,
        }
    }

    /// Replaces status and code, but keeps the texts.
    pub fn coded(self, code: ProblemCode) -> Self {
        Self { status: code.status(), code: code.as_str().to_owned(), ..self }
    }

    /// Returns true if it has this code of the table.
    pub fn is(&self, code: ProblemCode) -> bool {
        self.status == code.status() && self.code == code.as_str()
    }

    /// Adds a hint: how to fix the problem. It is shown below the title.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Makes a 404 `not_found`: "There is no such {what}".
    pub fn not_found(what: &str) -> Self {
        Self::new(ProblemCode::NotFound, format!("There is no such {what}"))
    }

    /// Makes a 400 `invalid_field`: the value of a field isn't `expected`.
    pub fn field(field: &str, expected: &str) -> Self {
        let problem = Self::new(ProblemCode::InvalidField, format!("`{field}` should be {expected}"));
        Self { field: Some(field.to_owned()), expected: Some(expected.to_owned()), ..problem }
    }

    /// Makes a 400 `invalid_field`: a required field is missing.
    pub fn missing(field: &str) -> Self {
        let problem = Self::new(ProblemCode::InvalidField, format!("`{field}` is missing"));
        Self { field: Some(field.to_owned()), expected: Some("a value".to_owned()), ..problem }
    }

    /// Makes a 413 `too_large`: the body exceeds `limit` bytes.
    pub fn too_large(limit: usize) -> Self {
        Self::new(ProblemCode::TooLarge, format!("The body is larger than {limit} bytes"))
    }

    /// Makes a 500 `internal`: an error that the caller can't fix.
    pub fn internal() -> Self {
        Self::new(ProblemCode::Internal, "Internal server error").hint("The server's log has the details")
    }

    /// Makes the problem `transport` with the status 0: the server can't be reached, or the request can't be
    /// serialized.
    pub fn transport(title: impl Into<String>) -> Self {
        Self::outside(0, "transport", title)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n{hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}
