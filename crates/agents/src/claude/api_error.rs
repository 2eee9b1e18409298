//! The program's own message about a request that failed for good.

use super::at::At;
use super::blocks::joined_text;
use super::obj::{Obj, string};
use super::state::State;
use model::RunOutcome;
use serde_json::Value;
use std::borrow::Cow;

impl State {
    pub fn api_error_message(&mut self, at: &At, line: &Obj, message: &Obj) {
        let text = match message.raw("content") {
            Some(raw) => string(raw).map_or_else(|| joined_text(raw), Cow::into_owned),
            None => String::new(),
        };
        let told = ProviderError::read(&text);
        let named = line.filled("error").filter(|kind| kind != "unknown");
        let kind = named.or(told.kind).unwrap_or_else(|| "api_error".to_owned());
        let status = line.int("apiErrorStatus").or(told.status);
        let message = match (told.message, status) {
            (Some(message), Some(status)) => format!("{message} ({status})"),
            (Some(message), None) => message,
            (None, _) => text,
        };
        let extras = [("status", status.map(Value::from)), ("request_id", told.request.map(Value::from))];
        self.error(at, at.error(&at.id, &kind, message, None), extras);
        self.book.sessions[at.session].runs.pause(RunOutcome::Failed, at.time);
    }
}

/// The error in the provider's answer, which older versions repeat as `API Error: 529 {"type":"error","error":{...}}`.
#[derive(Default)]
struct ProviderError {
    status: Option<i64>,
    /// `overloaded`.
    kind: Option<String>,
    message: Option<String>,
    request: Option<String>,
}

impl ProviderError {
    fn read(text: &str) -> Self {
        let read = || {
            let (status, answer) = text.strip_prefix("API Error: ")?.split_once(' ')?;
            let answer = Obj::parse(answer.trim())?;
            let error = answer.obj("error")?;
            let kind = error.filled("type").map(|kind| kind.trim_end_matches("_error").to_owned());
            Some(Self {
                status: status.parse().ok(),
                kind: kind.filter(|kind| !kind.is_empty()),
                message: error.filled("message"),
                request: answer.filled("request_id"),
            })
        };
        read().unwrap_or_default()
    }
}
