//! Agent keys: with one an agent posts and reads its own sessions. It can never answer an approval.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Make sessions, and post to them.
    Post,
    /// Read its own sessions.
    Read,
    /// Post what a person typed elsewhere, as `user`.
    Mirror,
}

impl Scope {
    pub const ALL: [Self; 3] = [Self::Post, Self::Read, Self::Mirror];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Post => "post",
            Self::Read => "read",
            Self::Mirror => "mirror",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    /// For people: what uses it.
    pub name: String,
    /// All, if absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<Scope>,
    /// RFC 3339 or a day; for ever, if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}
impl Input for NewKey {}

/// The only time that the key is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyMade {
    pub id: String,
    pub key: String,
    pub name: String,
    pub scopes: Vec<Scope>,
}
impl Reply for KeyMade {
    fn status(&self) -> u16 {
        201
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyInfo {
    pub id: String,
    pub name: String,
    pub scopes: Vec<Scope>,
    pub created_at: Micros,
    pub expires_at: Option<Micros>,
    /// To the minute.
    pub last_used_at: Option<Micros>,
    pub revoked_at: Option<Micros>,
}

/// Newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys {
    pub keys: Vec<KeyInfo>,
}
impl Reply for Keys {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyPath {
    pub key: String,
}
