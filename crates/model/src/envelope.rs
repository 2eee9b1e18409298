//! The JSON metadata of a message: none, a legacy object without `message_type`, or an envelope
//! `{message_type, version, payload, ...extras}`.
//!
//! [`normalize`] and [`build`] validate strictly; [`parse`] reads leniently. Further keys are extras.

mod problem;

pub use crate::extras::{
    EditInfo, EditScope, EditState, INTERRUPTED, LineComment, ReviewInfo, ReviewState, Side, TodoInfo, TodoInfoState,
    WITH_A_DENIED_ONE, WITH_A_FAILED_ONE, edit_info, line_comments, review_info, todo_info,
};
pub use crate::version::VERSION;
pub use problem::{EnvelopeCode, EnvelopeError};

use crate::message_type::Body;
use crate::version;
use serde_json::{Map, Value};

/// Longest message type in characters.
const TYPE_CHARS: usize = 200;

const RESERVED: [&str; 3] = ["message_type", "version", "payload"];

/// Validates metadata, and returns it in its stored form. None means a TEXT message; an object without `message_type`
/// is kept unchanged. Null extras and null fields of built-in types are removed.
///
/// ```
/// use serde_json::json;
///
/// let todo = |status| json!({"message_type": "TODO", "payload": {"todos": [{"id": "1", "content": "Bake", "status": status}]}});
/// assert!(model::envelope::normalize(Some(todo("pending"))).is_ok());
/// let error = model::envelope::normalize(Some(todo("baked"))).unwrap_err();
/// assert_eq!(error.problem.pointer, "/payload/todos/0/status");
/// ```
///
/// # Errors
///
/// An [`EnvelopeError`] has the JSON pointer of the first invalid field in the metadata.
pub fn normalize(metadata: Option<Value>) -> Result<Option<Map<String, Value>>, EnvelopeError> {
    read(metadata).map(|(metadata, _)| metadata)
}

/// Like [`normalize`], but also returns the parsed content, which equals [`Body::of`] of a message with this metadata.
pub fn read(metadata: Option<Value>) -> Result<(Option<Map<String, Value>>, Body), EnvelopeError> {
    let text = || Body::of_metadata(None);
    let mut extras = match metadata {
        None | Some(Value::Null) => return Ok((None, text())),
        Some(Value::Object(map)) => map,
        Some(_) => return Err(EnvelopeError::new(EnvelopeCode::NotAnObject, "", "an object")),
    };
    let Some(message_type) = extras.shift_remove("message_type") else { return Ok((Some(extras), text())) };
    let message_type = read_type(message_type.as_str())?;
    let version = extras.shift_remove("version").unwrap_or(Value::from(VERSION));
    let payload = extras.shift_remove("payload").unwrap_or_else(|| Value::Object(Map::new()));
    assemble(message_type, &version, payload, extras).map(|(envelope, body)| (Some(envelope), body))
}

/// The extra of a message that was stored although its payload is invalid.
pub const UNVALIDATED: &str = "unvalidated";

/// Like [`read`], but accepts invalid payloads and extras. They are kept unchanged and marked with the extra
/// [`UNVALIDATED`].
///
/// # Errors
///
/// As for [`normalize`], of the envelope itself.
pub fn read_unvalidated(metadata: Option<Value>) -> Result<(Option<Map<String, Value>>, Body), EnvelopeError> {
    let error = match read(metadata.clone()) {
        Err(error) if matches!(error.code, EnvelopeCode::Payload | EnvelopeCode::Extra) => error,
        other => return other,
    };
    let Some(Value::Object(mut envelope)) = metadata else { return Err(error) };
    // Stored metadata has a version that readers know.
    let version = envelope.get("version").map_or(Ok(Some(VERSION)), read_version)?;
    envelope.insert("version".to_owned(), version.map_or(Value::Null, Value::from));
    envelope.retain(|_, value| !value.is_null());
    envelope.insert(UNVALIDATED.to_owned(), Value::Bool(true));
    let body = Body::of_metadata(Some(&envelope));
    Ok((Some(envelope), body))
}

/// Builds an envelope from its parts. A null payload is empty; null fields at its top level are removed.
///
/// # Errors
///
/// As for [`normalize`]; an extra can't be named `message_type`, `version` or `payload`.
pub fn build(
    message_type: &str,
    payload: Value,
    extras: Map<String, Value>,
    version: i64,
) -> Result<Map<String, Value>, EnvelopeError> {
    read_type(Some(message_type))?;
    if let Some(key) = RESERVED.iter().find(|key| extras.contains_key(**key)) {
        let expected = "no extra of this name: it belongs to the envelope";
        return Err(EnvelopeError::new(EnvelopeCode::ReservedExtra, &format!("/{key}"), expected));
    }
    let payload = match payload {
        Value::Null => Value::Object(Map::new()),
        Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => other,
    };
    assemble(message_type, &Value::from(version), payload, extras).map(|(envelope, _)| envelope)
}

fn assemble(
    message_type: &str,
    version: &Value,
    payload: Value,
    extras: Map<String, Value>,
) -> Result<(Map<String, Value>, Body), EnvelopeError> {
    let version = read_version(version)?;
    let Value::Object(payload) = payload else {
        return Err(EnvelopeError::new(EnvelopeCode::PayloadNotAnObject, "/payload", "an object"));
    };
    let body = Body::read(message_type, version.unwrap_or(VERSION), &payload)
        .map_err(|problem| EnvelopeError::at(EnvelopeCode::Payload, problem.within("/payload")))?;
    // The payload may be megabytes: don't hold it beside the body that was read from it.
    drop(payload);
    let extras: Map<String, Value> = extras.into_iter().filter(|(_, value)| !value.is_null()).collect();
    body.check(&extras).map_err(|problem| {
        let inside = problem.pointer.starts_with("/payload");
        EnvelopeError::at(if inside { EnvelopeCode::Payload } else { EnvelopeCode::Extra }, problem)
    })?;

    // A payload that was migrated is stored as what it is now.
    let version = version.map(|version| body.version().map_or(version, |own| own.max(version)));
    let mut envelope = Map::new();
    envelope.insert("message_type".to_owned(), Value::from(message_type));
    if let Some(version) = version {
        envelope.insert("version".to_owned(), Value::from(version));
    }
    envelope.insert("payload".to_owned(), body.payload());
    envelope.extend(extras);
    Ok((envelope, body))
}

/// Reads a message type, and checks its length.
fn read_type(tag: Option<&str>) -> Result<&str, EnvelopeError> {
    let refused = |expected: &str| Err(EnvelopeError::new(EnvelopeCode::MessageType, "/message_type", expected));
    match tag {
        None | Some("") => refused("a non-empty string"),
        Some(tag) if tag.chars().count() > TYPE_CHARS => refused(&format!("at most {TYPE_CHARS} characters")),
        Some(tag) => Ok(tag),
    }
}

fn read_version(version: &Value) -> Result<Option<i64>, EnvelopeError> {
    version::read(version).map_err(|problem| EnvelopeError::at(EnvelopeCode::Version, problem))
}

impl Body {
    /// Returns the envelope of a message with this body, in the form that [`normalize`] returns.
    ///
    /// # Errors
    ///
    /// As for [`build`].
    pub fn envelope(&self, extras: Map<String, Value>) -> Result<Map<String, Value>, EnvelopeError> {
        build(self.message_type(), self.payload(), extras, self.version().unwrap_or(VERSION))
    }
}

/// Parsed metadata.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The whole metadata: normalized if it is valid, otherwise unchanged.
    pub raw: Option<Value>,
    /// The message type, valid or not. None for a legacy object, or if it isn't a string.
    pub message_type: Option<String>,
    /// The envelope's payload, or the whole legacy object.
    pub payload: Option<Map<String, Value>>,
    /// True for an object without `message_type`.
    pub is_legacy: bool,
    /// True if it has a valid payload of a built-in type. A TEXT has none.
    pub has_structured_payload: bool,
    /// Why it is invalid.
    pub problem: Option<EnvelopeError>,
}

/// Parses stored metadata. Never fails: invalid metadata is kept unchanged, with the problem.
pub fn parse(metadata: Option<&Value>) -> Parsed {
    let nothing = Parsed {
        raw: metadata.filter(|value| !value.is_null()).cloned(),
        message_type: None,
        payload: None,
        is_legacy: false,
        has_structured_payload: false,
        problem: None,
    };
    match read(metadata.cloned()) {
        Ok((None, _)) => nothing,
        Ok((Some(map), body)) => {
            let Some(tag) = map.get("message_type").and_then(Value::as_str).map(str::to_owned) else {
                return Parsed { payload: Some(map), is_legacy: true, ..nothing };
            };
            Parsed {
                payload: map.get("payload").and_then(Value::as_object).cloned(),
                has_structured_payload: !matches!(body, Body::Text(_) | Body::Unknown { .. }),
                message_type: Some(tag),
                raw: Some(Value::Object(map)),
                ..nothing
            }
        }
        Err(problem) => {
            let part = |key: &str| metadata.and_then(|value| value.get(key));
            Parsed {
                message_type: part("message_type").and_then(Value::as_str).map(str::to_owned),
                payload: part("payload").and_then(Value::as_object).cloned(),
                problem: Some(problem),
                ..nothing
            }
        }
    }
}
