//! What a model's context held when it wrote a reply.

use crate::endpoint::{Input, Reply};
use model::model_context::ModelContext;
use serde::{Deserialize, Serialize};

/// Of which reply, and with what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ContextQuery {
    /// A message, by its id or its `seq`. Of a message of the model, the request that it answers; of any other, the first
    /// request that held it. Absent: the last request of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// 0 leaves out the contents of the blocks; their previews stay. 1 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents: Option<u8>,
}
impl Input for ContextQuery {}

/// What a model's context held when it wrote a reply. Contents beyond 16 MiB are left out, the longest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionContext {
    /// Our id of the session.
    pub session: String,
    /// The agent, as its sessions name it: `claude_code`.
    pub agent: String,
    /// The request.
    #[serde(flatten)]
    pub context: ModelContext,
}
impl Reply for SessionContext {}
