//! Agent keys: with one an agent posts and reads its own sessions. It can never answer an approval.
//!
//! A key is `vbt_<id>_<secret>_<check>`: the check is the CRC-32 of what stands before it, in hex.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};
use serde_json::Value;

model::words! {
    /// What a key may do.
    Scope {
        /// Make sessions, post to them and change what it posted; the answers say what people wrote meanwhile.
        Post = "post",
        /// Read its own sessions and files, follow them, and wait for what people write.
        Read = "read",
        /// Read all sessions, whoever made them.
        ReadAll = "read_all",
        /// Post what a person typed elsewhere, as `user`.
        Mirror = "mirror",
        /// Post what people wrote elsewhere as their own words, in the sessions that it made: its runs have them, and they are
        /// remembered. For a program that connects a messenger, never for a model's tools.
        Bridge = "bridge",
        /// Report what an agent on this machine does, in any of its sessions, and ask for permissions: what its hooks need, and
        /// nothing else.
        Hooks = "hooks",
    }
}

/// The sessions that a key makes stay with it: another key, also one that replaces it, doesn't go on with them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// For people: what uses it. 1 to 200 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 200)))]
    pub name: String,
    /// `post`, `read` and `mirror`, if absent: what programs of the older agent API do. One at least.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<Scope>>,
    /// RFC 3339, a day, or microseconds since 1970; for ever, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Value>,
    /// The most that it may post, ever; 5,000,000 messages and 10,000,000,000 bytes, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "model::strict::maybe_object")]
    pub quota: Option<Quota>,
}
impl Input for NewKey {
    const EXAMPLE: &'static str = r#"{"name": "nightly bot", "scopes": ["post", "read"]}"#;
}

/// The most that a key may post. What is absent stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Quota {
    /// Messages; a session that it makes counts as one. 1 to 10^15.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<i64>,
    /// Bytes of messages, of changes to them, and of files. 1 to 10^15.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<i64>,
}

/// What may be changed of a key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EditKey {
    /// The new quota.
    #[serde(deserialize_with = "model::strict::object")]
    pub quota: Quota,
}
impl Input for EditKey {
    const EXAMPLE: &'static str = r#"{"quota": {"messages": 10000000}}"#;
}

/// Messages, of which a session that it made counts as one, and bytes of messages, of changes to them, and of files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// How many messages.
    pub messages: i64,
    /// How many bytes.
    pub bytes: i64,
}

/// The only time that the key is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeyMade {
    /// Names the key from now on; it opens nothing.
    pub id: String,
    /// The key itself. It can't be read again.
    pub key: String,
    /// For people: what uses it.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
}
impl Reply for KeyMade {
    const STATUSES: &'static [u16] = &[201];
}

/// A key without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeyInfo {
    /// Names the key; it opens nothing.
    pub id: String,
    /// For people: what uses it.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// When it was made.
    pub created_at: Micros,
    /// When it stops to hold. Null: never.
    pub expires_at: Option<Micros>,
    /// To the minute.
    pub last_used_at: Option<Micros>,
    /// When a person revoked it. Null while it holds.
    pub revoked_at: Option<Micros>,
    /// What it posted so far.
    pub posted: Usage,
    /// The most that it may post.
    pub quota: Usage,
}

/// Newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Keys {
    /// Revoked and expired ones included.
    pub keys: Vec<KeyInfo>,
}
impl Reply for Keys {}

/// Path of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeyPath {
    /// Id of the key, as `GET /v1/keys` lists it.
    pub key: String,
}
