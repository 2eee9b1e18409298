//! A row of the older chat host's table `messages` as a message, and back, without loss.
//!
//! A row that was read keeps what the message has no field for in its metadata, under [`ROW`]. A message that was written has what
//! the row has no column for there, under [`DRAFT`]. Where nothing is to be kept, neither is there. So `to_row(from_row(row))` is the
//! row, and `from_row(to_row(draft))` the draft, whatever words they use.

use crate::parts::at::{envelope, message_id, micros};
use crate::parts::blocks::result_text;
use crate::parts::obj::Obj;
use model::message_type::tool_call::ToolCall;
use model::{Context, Draft, MessageType, Micros, Part, Provenance, Role, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// In the metadata of a message: its row, as far as the message doesn't say it itself.
pub const ROW: &str = "messages_row";
/// In the metadata of a row: fields of its message, as far as the row doesn't say them itself.
pub const DRAFT: &str = "verbatim";
/// Fields of a message that a reader sets, whatever a row says.
const OURS: [&str; 1] = ["provenance"];

/// A row. Columns that the table didn't have at first are in `more`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatRow {
    /// Unique in its chat.
    pub id: String,
    /// `bot`, `tui-user`, an address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_name: Option<String>,
    /// The text of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// ISO 8601, as it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// 1 where the host or its agent wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_from_me: Option<i64>,
    /// `user`, `assistant`, `system`, `tool_result`, `host`, or any other word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_type: Option<String>,
    /// JSON, as it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// Other columns.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Reads a row.
pub fn from_row(row: &ChatRow) -> Draft {
    let metadata = row.metadata.as_deref().and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
    let mut draft = plain(row, metadata.clone());
    if let Some(fields) = metadata.as_ref().and_then(|metadata| metadata.get(DRAFT)?.as_object()) {
        let mut rest = metadata.clone().unwrap_or_default();
        rest.shift_remove(DRAFT);
        draft.metadata = Some(rest);
        return overlay(&draft, fields).unwrap_or(draft);
    }
    let has_row = metadata.is_some_and(|metadata| metadata.contains_key(ROW));
    if !has_row && written(&draft) == *row {
        return draft;
    }
    let mut kept = row.clone();
    (kept.content, kept.sender, kept.sender_name) = (None, None, None);
    let has_id = draft.id.as_str() == row.id;
    let mut kept = serde_json::to_value(kept).unwrap_or_default();
    if let Some(fields) = kept.as_object_mut() {
        // An id that no message can have, as an empty one, is kept beside it.
        fields.retain(|name, _| name != "id" || !has_id);
        let absent = [("sender", row.sender.is_none()), ("content", row.content.is_none())];
        fields.extend(absent.into_iter().filter(|(_, absent)| *absent).map(|(name, _)| (name.to_owned(), Value::Null)));
    }
    draft.metadata.get_or_insert_default().insert(ROW.to_owned(), kept);
    draft
}

/// Writes a message as a row. One that was read from a row gives that row.
pub fn to_row(draft: &Draft) -> ChatRow {
    let draft = &Draft { provenance: Provenance::Reader, ..draft.clone() };
    if let Some(row) = kept_row(draft)
        && from_row(&row) == unjoined(draft, &row)
    {
        return row;
    }
    let mut row = written(draft);
    if from_row(&row) == *draft {
        return row;
    }
    row.metadata = None;
    let mut metadata = draft.metadata.clone().unwrap_or_default();
    let base = Draft { metadata: Some(metadata.clone()), ..plain(&row, Some(metadata.clone())) };
    metadata.insert(DRAFT.to_owned(), Value::Object(difference(&base, draft)));
    row.metadata = Some(Value::Object(metadata).to_string());
    row
}

/// A message as its columns alone tell it.
fn written(draft: &Draft) -> ChatRow {
    let (message_type, sender) = words(draft);
    ChatRow {
        id: draft.id.as_str().to_owned(),
        sender: Some(sender.to_owned()),
        sender_name: draft.sender_name.clone(),
        content: Some(draft.content.clone()),
        timestamp: Some(time(draft.created_at)),
        is_from_me: Some(i64::from(draft.role != Role::User)),
        message_type: Some(message_type.to_owned()),
        metadata: draft.metadata.clone().map(|metadata| Value::Object(metadata).to_string()),
        more: Map::new(),
    }
}

/// The call of a row, and the result of one.
const CALL: (&str, &str) = ("assistant", "tool_use");
const RESULT: (&str, &str) = ("assistant", "tool_result");

/// A row of a call or of its result.
pub(super) enum Trace {
    /// A call, with its own id.
    Call(Option<String>),
    /// The result of a call.
    Result(CallResult),
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResult {
    /// The call's own id.
    pub call_id: Option<String>,
    /// The text of the result.
    pub text: String,
    /// The call failed.
    pub failed: bool,
}

/// Reads what a row says of a call; None where it is no part of one.
pub(super) fn trace(row: &ChatRow, draft: &Draft) -> Option<Trace> {
    let content = row.content.as_deref().unwrap_or_default();
    match words_of(row) {
        CALL if draft.message_type() == MessageType::ToolCall => Some(Trace::Call(call_id(&Obj::parse(content)?))),
        RESULT => Some(Trace::Result(result_of(content))),
        _ => None,
    }
}

/// Reads the result of a call from the content of its row.
pub fn result_of(content: &str) -> CallResult {
    let fields = Obj::parse(content);
    let field = |name: &&str| fields.as_ref().and_then(|fields| fields.raw(name));
    let text = ["content", "tool_result", "result", "output"].iter().find_map(field).map(result_text);
    CallResult {
        call_id: fields.as_ref().and_then(call_id),
        text: text.unwrap_or_else(|| content.to_owned()),
        failed: field(&"is_error") == Some("true"),
    }
}

fn call_id(fields: &Obj) -> Option<String> {
    ["tool_use_id", "id"].iter().find_map(|name| fields.filled(name))
}

/// Gives a call what it gave back.
pub(super) fn join(call: &mut Draft, result: &CallResult) {
    let payload = call.metadata.as_mut().and_then(|metadata| metadata.get_mut("payload")?.as_object_mut());
    if let Some(payload) = payload {
        payload.insert(if result.failed { "error" } else { "output" }.to_owned(), Value::from(result.text.as_str()));
    }
}

/// A message without what another row says of it.
fn unjoined(draft: &Draft, row: &ChatRow) -> Draft {
    let mut draft = draft.clone();
    match words_of(row) {
        CALL => {
            draft.call_id = None;
            let payload = draft.metadata.as_mut().and_then(|metadata| metadata.get_mut("payload")?.as_object_mut());
            if let Some(payload) = payload {
                payload.retain(|name, _| !matches!(name.as_str(), "output" | "error"));
            }
        }
        RESULT => (draft.call_id, draft.part) = (None, Part::Whole),
        _ => {}
    }
    draft
}

/// The older host's words of a row.
fn words_of(row: &ChatRow) -> (&str, &str) {
    (row.message_type.as_deref().unwrap_or("user"), row.sender.as_deref().unwrap_or_default())
}

/// The row that a message was read from.
fn kept_row(draft: &Draft) -> Option<ChatRow> {
    let kept = draft.metadata.as_ref()?.get(ROW)?.as_object()?;
    let has_null = |name: &str| kept.get(name).is_some_and(Value::is_null);
    let mut fields = kept.clone();
    fields.retain(|_, value| !value.is_null());
    let id = fields.entry("id").or_insert_with(|| draft.id.as_str().into()).clone();
    let row: ChatRow = serde_json::from_value(Value::Object(fields)).ok()?;
    Some(ChatRow {
        id: id.as_str()?.to_owned(),
        sender: (!has_null("sender")).then(|| draft.sender.clone()),
        sender_name: draft.sender_name.clone(),
        content: (!has_null("content")).then(|| draft.content.clone()),
        ..row
    })
}

/// Returns whose voice a row's words are; None for a word that isn't known.
pub fn role_of(message_type: &str, sender: &str) -> Option<Role> {
    Some(match (message_type, sender) {
        ("user", "system_notice" | "deploy") | ("system", _) => Role::System,
        ("user", _) => Role::User,
        ("assistant", "thinking") => Role::Model,
        ("assistant", "result_meta" | "host") | ("host", _) => Role::Host,
        // The trace of a call: what the model was given of it is in its request, and here for people.
        ("assistant", "tool_result") | ("tool_result", _) => Role::Tool,
        ("assistant", _) => Role::Assistant,
        _ => return None,
    })
}

/// Returns the message that the columns alone describe.
fn plain(row: &ChatRow, metadata: Option<Map<String, Value>>) -> Draft {
    let (kind, sender) = words_of(row);
    // Rows of an unknown type or sender never reach a model.
    let role = role_of(kind, sender).unwrap_or(Role::Host);
    let created_at = row.timestamp.as_deref().and_then(parse_time).unwrap_or_default();
    let content = row.content.clone().unwrap_or_default();
    let mut draft = Draft::text(message_id(&row.id), role, sender, content, created_at);
    draft.sender_name.clone_from(&row.sender_name);
    draft.metadata = metadata;
    draft.provenance = Provenance::Reader;
    draft.status = Status::Final;
    let is_internal = matches!(role, Role::Host | Role::Model)
        || matches!((kind, sender), ("assistant", "tool_result") | ("user", "system_notice"));
    draft.context = if is_internal { Context::None } else { Context::Turn };
    if (kind, sender) == CALL && draft.metadata.is_none() {
        draft.metadata = call_of(&draft.content).map(|(_, envelope)| envelope);
    }
    draft
}

/// Reads a call from the content of its row: its own id, and its envelope. None where the content isn't the JSON of one.
pub fn call_of(content: &str) -> Option<(Option<String>, Map<String, Value>)> {
    let call: Map<String, Value> = serde_json::from_str(content).ok()?;
    let field = |names: [&str; 2]| names.iter().find_map(|name| call.get(*name)).cloned();
    let tool = field(["tool_name", "name"])?.as_str().filter(|name| !name.is_empty())?.to_owned();
    let input = field(["tool_input", "input"]).and_then(|input| input.as_object().cloned()).unwrap_or_default();
    let id = Obj::parse(content).as_ref().and_then(call_id);
    Some((id, envelope(ToolCall::new(tool, input))))
}

/// The older host's words for a message.
fn words(draft: &Draft) -> (&'static str, &str) {
    let sender = draft.sender.as_str();
    match draft.role {
        Role::User => ("user", sender),
        Role::Model => ("assistant", "thinking"),
        Role::Assistant if draft.message_type() == MessageType::ToolCall => ("assistant", "tool_use"),
        Role::Assistant => ("assistant", "bot"),
        Role::Tool => ("tool_result", "command_output"),
        Role::System if matches!(sender, "system_notice" | "deploy") => ("user", sender),
        Role::System => ("system", "system"),
        Role::Host if sender == "result_meta" => ("assistant", sender),
        Role::Host => ("host", "host"),
    }
}

/// Fields of a draft that differ from another one's. Null stands for a field that isn't there.
fn difference(base: &Draft, draft: &Draft) -> Map<String, Value> {
    let (base, draft) = (fields(base), fields(draft));
    let gone = base.keys().filter(|name| !draft.contains_key(*name)).map(|name| (name.clone(), Value::Null));
    let changed = draft.iter().filter(|(name, value)| base.get(*name) != Some(value));
    let mut all: Map<String, Value> = changed.map(|(name, value)| (name.clone(), value.clone())).chain(gone).collect();
    all.retain(|name, _| !OURS.contains(&name.as_str()));
    all
}

fn overlay(draft: &Draft, changes: &Map<String, Value>) -> Option<Draft> {
    let mut all = fields(draft);
    for (name, value) in changes.iter().filter(|(name, _)| !OURS.contains(&name.as_str())) {
        match value {
            Value::Null if name != "metadata" => drop(all.shift_remove(name)),
            value => drop(all.insert(name.clone(), value.clone())),
        }
    }
    let draft: Draft = serde_json::from_value(Value::Object(all)).ok()?;
    Some(Draft { provenance: Provenance::Reader, ..draft })
}

fn fields(draft: &Draft) -> Map<String, Value> {
    match serde_json::to_value(draft) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// Python's `isoformat`: `2026-01-01T00:00:01+00:00`, with six digits where there are parts of a second.
fn time(at: Micros) -> String {
    let Ok(at) = jiff::Timestamp::from_microsecond(at.0) else { return at.0.to_string() };
    let is_whole = at.subsec_nanosecond() == 0;
    let format = if is_whole { "%Y-%m-%dT%H:%M:%S+00:00" } else { "%Y-%m-%dT%H:%M:%S.%6f+00:00" };
    at.strftime(format).to_string()
}

/// A time with its zone, or without one, which is UTC.
fn parse_time(text: &str) -> Option<Micros> {
    let plain = || {
        let zoned = text.parse::<jiff::civil::DateTime>().ok()?.in_tz("UTC").ok()?;
        Some(Micros(zoned.timestamp().as_microsecond()))
    };
    micros(text).or_else(plain)
}
