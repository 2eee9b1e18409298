//! Messages of the host: operational notices for people, which models never read.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};

/// A message of the host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HostMessage {
    /// Markdown, 1 to 10,000 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 10_000)))]
    pub content: String,
    /// Id of the session. If absent, it is posted to the session `operations`, and to each session with an open run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// True if the message is about a deployment and agents should know. Then each of these sessions, except
    /// `operations`, also gets a message of the role `system` by `deploy`, which is part of the next run and stays in
    /// the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deploy: Option<bool>,
    /// Id that makes the request repeatable: the message is stored once.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 128)))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}
impl Input for HostMessage {
    // 409: the `id` belongs to another message.
    const REFUSALS: &'static [u16] = &[404, 409];
    const EXAMPLE: &'static str = r#"{"content": "The build machine restarts at noon"}"#;
}

/// The sessions in which a message of the host was stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostMessagePosted {
    /// Our ids of the sessions.
    pub sessions: Vec<String>,
}
impl Reply for HostMessagePosted {
    const STATUSES: &'static [u16] = &[201];
}
