//! The envelope as the reference describes it. It is checked by `model::envelope`.

use model::envelope::{EditInfo, ReviewInfo, TodoInfo};
use model::message_type::approval::ApprovalState;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A message's metadata: what it is, and its data. An object without `message_type` is any object, and its message a TEXT.
/// What else stands beside these fields is kept and given back unchanged.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Envelope {
    /// A built-in type, such as `TODO`, or any name of your own. `x-message-types` in this description lists the built-in ones.
    #[schemars(length(min = 1, max = 200))]
    message_type: Option<String>,
    /// 1 if absent.
    #[schemars(range(min = 1))]
    version: Option<i64>,
    /// By the message type; of a type of your own any object.
    payload: Option<Map<String, Value>>,
    /// Of a `CODE_EDIT`, one for each of its `edits`, each with `state` and `scope`: what became of it.
    #[schemars(schema_with = "usually::<Vec<EditInfo>>")]
    edit_info: Option<Vec<EditInfo>>,
    /// Of a TODO, by the id of the item: what three states can't say.
    #[schemars(schema_with = "usually::<BTreeMap<String, TodoInfo>>")]
    todo_info: Option<BTreeMap<String, TodoInfo>>,
    /// Of a `CODE_REVIEW`, by the index of the comment: what a person answered. It comes from the server.
    #[schemars(schema_with = "usually::<BTreeMap<String, ReviewInfo>>")]
    review_info: Option<BTreeMap<String, ReviewInfo>>,
    /// Of an ACTION that answers an approval: whether it was allowed. It comes from the server.
    #[schemars(schema_with = "usually::<ApprovalState>")]
    decision_state: Option<ApprovalState>,
    /// `never`: it isn't remembered beyond its session, as `memory` says.
    #[schemars(schema_with = "usually::<String>")]
    embed: Option<String>,
    /// Of messages that earlier servers stored: id of the key by which a person's words came from elsewhere.
    #[schemars(schema_with = "usually::<String>")]
    via_key: Option<String>,
    /// How long it took, in milliseconds, where that is known.
    #[schemars(schema_with = "usually::<i64>")]
    duration_ms: Option<i64>,
}

/// What is read where it is of this shape, and else only kept: anything may stand beside a payload.
fn usually<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [generator.subschema_for::<T>(), {}] })
}
