//! The envelope for the API's description. `model::envelope` validates it.

use model::envelope::{EditInfo, ReviewInfo, TodoInfo};
use model::message_type::approval::ApprovalState;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Metadata of a message: its type and data. An object without `message_type` is accepted too; its message is a TEXT.
/// Unknown fields are kept and returned unchanged.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Envelope {
    /// A built-in type, such as `TODO`, or a custom one. `x-message-types` in this description lists the built-in types.
    #[schemars(length(min = 1, max = 200))]
    message_type: Option<String>,
    /// Version of the payload; 1 if absent.
    #[schemars(range(min = 1))]
    version: Option<i64>,
    /// Data of the message type. Any object for a custom type.
    payload: Option<Map<String, Value>>,
    /// `state` and `scope` of each edit of a `CODE_EDIT`.
    #[schemars(schema_with = "usually::<Vec<EditInfo>>")]
    edit_info: Option<Vec<EditInfo>>,
    /// Further data of a TODO by item id.
    #[schemars(schema_with = "usually::<BTreeMap<String, TodoInfo>>")]
    todo_info: Option<BTreeMap<String, TodoInfo>>,
    /// A person's reactions to a `CODE_REVIEW` by the index of the comment. Set by the server.
    #[schemars(schema_with = "usually::<BTreeMap<String, ReviewInfo>>")]
    review_info: Option<BTreeMap<String, ReviewInfo>>,
    /// The decision of an ACTION that answers an approval. Set by the server.
    #[schemars(schema_with = "usually::<ApprovalState>")]
    decision_state: Option<ApprovalState>,
    /// `never`: not remembered beyond its session, like `memory`.
    #[schemars(schema_with = "usually::<String>")]
    embed: Option<String>,
    /// Id of the key that posted a person's message from elsewhere. Only in messages that earlier servers stored.
    #[schemars(schema_with = "usually::<String>")]
    via_key: Option<String>,
    /// Duration in milliseconds, if known.
    #[schemars(schema_with = "usually::<i64>")]
    duration_ms: Option<i64>,
}

/// Schema of a field that is interpreted if it has this shape, and otherwise only kept.
fn usually<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [generator.subschema_for::<T>(), {}] })
}
