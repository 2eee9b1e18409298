//! Agent keys. An agent uses one to post, and to read its own sessions. A key can never decide an approval.
//!
//! A key is `vbt_<id>_<secret>_<check>`. The check is the CRC-32 of the text before it, in hex.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};
use serde_json::Value;

model::words! {
    /// A permission of a key.
    Scope {
        /// Creates sessions, posts to them, and changes its own messages. Replies include what people wrote meanwhile.
        Post = "post",
        /// Reads its own sessions and files, follows them, and waits for people's messages.
        Read = "read",
        /// Reads all sessions of all creators.
        ReadAll = "read_all",
        /// Posts what a person typed elsewhere, with the role `user`.
        Mirror = "mirror",
        /// Posts people's messages from elsewhere as their own words, in the sessions that it created: runs and
        /// memories include them. For a program that connects a messenger, never for a model's tools.
        Bridge = "bridge",
        /// Reports events of an agent on this machine, in any of its sessions, and asks for permissions. For an agent's
        /// hooks.
        Hooks = "hooks",
        /// Sends the files of the agents of another machine, with the key that `POST /v1/machines` creates for it.
        Forward = "forward",
    }
}

/// A key to create. Its sessions belong to it: no other key, not even its replacement, can continue them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// Name of the program that uses it, 1 to 200 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 200)))]
    pub name: String,
    /// Scopes, at least one; `post`, `read` and `mirror` if absent, which programs of the older agent API need.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<Scope>>,
    /// Expiry: RFC 3339, a day, or microseconds since 1970. If absent, the key doesn't expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Value>,
    /// Quota; 5,000,000 messages and 10,000,000,000 bytes if absent.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "model::strict::maybe_object")]
    pub quota: Option<Quota>,
}
impl Input for NewKey {
    const EXAMPLE: &'static str = r#"{"name": "nightly bot", "scopes": ["post", "read"]}"#;
}

/// The total that a key may post. Absent fields stay unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Quota {
    /// Number of messages, 1 to 10^15. A created session counts as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<i64>,
    /// Bytes of messages, updates and files, 1 to 10^15.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<i64>,
}

/// Changes to a key.
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

/// Totals of a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Usage {
    /// Number of messages. A created session counts as one.
    pub messages: i64,
    /// Bytes of messages, updates and files.
    pub bytes: i64,
}

/// A new key with its secret, which no other reply has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeyMade {
    /// Id of the key. It is no secret.
    pub id: String,
    /// The key itself. It can't be read again.
    pub key: String,
    /// Name of the program that uses it.
    pub name: String,
    /// Its scopes.
    pub scopes: Vec<Scope>,
}
impl Reply for KeyMade {
    const STATUSES: &'static [u16] = &[201];
}

/// A key without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeyInfo {
    /// Id of the key. It is no secret.
    pub id: String,
    /// Name of the program that uses it.
    pub name: String,
    /// Its scopes.
    pub scopes: Vec<Scope>,
    /// When it was made.
    pub created_at: Micros,
    /// When it expires. Null if it doesn't.
    pub expires_at: Option<Micros>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Micros>,
    /// When a person revoked it. Null if it wasn't revoked.
    pub revoked_at: Option<Micros>,
    /// The total that it has posted so far.
    pub posted: Usage,
    /// The total that it may post.
    pub quota: Usage,
}

/// Keys, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Keys {
    /// All keys, including revoked and expired ones.
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
