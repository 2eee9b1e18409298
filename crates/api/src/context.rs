//! The contents of a model's context when it wrote a reply.

use crate::endpoint::{Input, Reply};
use model::model_context::ModelContext;
use serde::{Deserialize, Serialize};

/// Selects a model reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ContextQuery {
    /// Id or `seq` of a message. For a message of the model: the request that it answers. For any other message: the
    /// first request that contains it. If absent, the last request of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// 0 omits the contents of the blocks, but not their previews; 1 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents: Option<u8>,
}
impl Input for ContextQuery {}

/// The contents of a model's context when it wrote a reply. Contents beyond 16 MiB are omitted, the longest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionContext {
    /// Our id of the session.
    pub session: String,
    /// Name of the agent, as in its sessions: `claude_code`.
    pub agent: String,
    /// The request.
    #[serde(flatten)]
    pub context: ModelContext,
}
impl Reply for SessionContext {}
