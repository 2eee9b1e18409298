//! Who is asking, log-in, and the state of the server.

use crate::endpoint::Reply;
use model::Micros;
use serde::{Deserialize, Serialize};

/// The caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Me {
    /// `owner` or `local`.
    pub kind: String,
    pub name: String,
    pub workspace: String,
}
impl Reply for Me {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Health {
    pub version: String,
    /// `sqlite` or `postgres`, with its version.
    pub store: String,
    pub sessions: i64,
    /// Imported files.
    pub sources: i64,
    /// Bytes of imported files.
    pub source_bytes: i64,
    /// What keeps the server from writing; absent while all is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
}
impl Reply for Health {}

/// Why the server refuses writes, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Condition {
    /// `database_damaged`: nothing is written; or `disk_full`: nothing but what makes room.
    pub code: String,
    pub title: String,
    pub hint: String,
}

/// A link that logs a browser in, once, within 15 minutes. The code sits in the URL's fragment: it reaches no log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LaunchCode {
    pub url: String,
}
impl Reply for LaunchCode {
    const STATUSES: &'static [u16] = &[201];
}

/// The header with the second secret of a log-in, which every request shows that changes something. Cookies know no ports:
/// other servers of the machine get the cookie, and don't get this.
pub const SECRET_HEADER: &str = "x-verbatim-secret";

/// The code of the problem where that secret isn't there or isn't the one of the log-in.
pub const SECRET_MISSING: &str = "secret_missing";

/// `POST /v1/login`: trades a one-time code for a cookie and a second secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LogIn {
    pub code: String,
}

/// What comes with the cookie.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogInSecret {
    /// For the header `x-verbatim-secret` of each request that changes something. It is told once.
    pub secret: String,
}

/// `GET /v1/login`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogInState {
    pub logged_in: bool,
    /// The request may change something: of a log-in, it shows its secret too.
    pub may_change: bool,
}

/// A browser that is logged in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogInInfo {
    /// Names the log-in; it opens nothing.
    pub id: String,
    /// What the browser calls itself.
    pub label: String,
    pub created_at: Micros,
    /// To the minute.
    pub last_used_at: Micros,
    pub expires_at: Micros,
    /// It is the one that asks.
    pub current: bool,
}

/// Last used first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogIns {
    pub logins: Vec<LogInInfo>,
}
impl Reply for LogIns {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogInPath {
    pub login: String,
}
