//! What may be remembered.

use super::{Memory, facts_of, policy};
use crate::{Context, Draft, MessageType, Role, Status};
use serde_json::Value;

/// Returns whether a message may be remembered: final texts of people that a prompt may hold. The extra `embed`
/// (`always`, `never`) wins, except where the policy says never; retracted messages are forgotten.
pub fn should_embed(draft: &Draft) -> bool {
    match draft.metadata.as_ref().and_then(|metadata| metadata.get("embed")).and_then(Value::as_str) {
        Some("never") => false,
        Some("always") => draft.status != Status::Retracted && policy(&facts_of(draft)).memory != Memory::Never,
        _ => {
            draft.role == Role::User
                && draft.message_type() == MessageType::Text
                && draft.status == Status::Final
                && draft.context == Context::Turn
        }
    }
}
