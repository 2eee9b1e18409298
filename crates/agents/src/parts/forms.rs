//! Forms as MCP has them: what a person shall fill in, and what was filled in.

use super::asks::open;
use super::obj::{Obj, string};
use crate::form;
use model::Micros;
use model::message_type::approval::{Approval, ApprovalKind, ApprovalState, Decision};
use std::borrow::Cow;

/// The open `APPROVAL` of a form, or of an address to open: `message`, `requestedSchema`, `url`.
pub(crate) fn asked(params: &Obj) -> Approval {
    let title = params.filled("message").unwrap_or_else(|| "A form".to_owned());
    let schema = params.raw("requestedSchema").and_then(|raw| serde_json::from_str(raw).ok());
    let fields = form::fields(&schema.unwrap_or_default());
    Approval { fields, body: params.filled("url"), ..open(ApprovalKind::Form, &title) }
}

/// Returns the decision on a form: from `action`, and `content` with a value for each name.
pub(crate) fn filled(result: Option<&Obj>, at: Micros) -> Decision {
    let state = match result.and_then(|result| result.filled("action")).as_deref() {
        Some("accept") => ApprovalState::Answered,
        Some("decline") => ApprovalState::Denied,
        _ => ApprovalState::Cancelled,
    };
    let values = result.and_then(|result| result.obj("content"));
    let line = |(name, raw): (&str, &str)| {
        let value = string(raw).map_or_else(|| raw.to_owned(), Cow::into_owned);
        format!("{name}: {value}")
    };
    let lines: Vec<String> = values.iter().flat_map(Obj::fields).map(line).collect();
    let text = (!lines.is_empty()).then(|| lines.join("\n"));
    Decision { at: Some(at), text, ..Decision::new(state) }
}
