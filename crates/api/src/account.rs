//! Who is asking, log-in, and the state of the server.

use crate::endpoint::Reply;
use model::Micros;
use serde::{Deserialize, Serialize};

/// The caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Me {
    /// `owner` for a person in a browser, `local` for a command on the server's machine, `agent` for a key.
    pub kind: String,
    /// For people: an agent's key has a name of its own.
    pub name: String,
    /// Always `default`.
    pub workspace: String,
}
impl Reply for Me {}

/// State of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Health {
    /// Version of the program.
    pub version: String,
    /// `sqlite` or `postgres`.
    pub store: String,
    /// Sessions that aren't deleted, those of sub-agents included.
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
    /// What is wrong, in one sentence.
    pub title: String,
    /// What a person can do about it.
    pub hint: String,
}

/// A link that logs a browser in, once, within 15 minutes. The code sits in the URL's fragment: it reaches no log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LaunchCode {
    /// Absolute address of the server, with the code behind its `#`.
    pub url: String,
}
impl Reply for LaunchCode {
    const STATUSES: &'static [u16] = &[201];
}

/// The header with the second secret of a log-in, which every request shows that changes something. Cookies know no ports:
/// other servers of the machine get the cookie, and don't get this.
pub const SECRET_HEADER: &str = "x-verbatim-secret";

/// Header of a request whose answer goes to a model, whatever its credential: it says [`READER_MODEL`]. Answers to agents' keys are for
/// models without it.
pub const READER_HEADER: &str = "x-verbatim-reader";

/// The value of [`READER_HEADER`].
pub const READER_MODEL: &str = "model";

/// What `verbatim tui` calls itself when it logs in. What such a log-in says and decides comes from the terminal.
pub const TERMINAL: &str = "Verbatim in a terminal";

/// `POST /v1/login`: trades a one-time code for a cookie and a second secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LogIn {
    /// The code of a link that `create_launch_code` made, which holds once and for 15 minutes.
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
    /// The request has a log-in that holds.
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
    /// When the browser logged in.
    pub created_at: Micros,
    /// To the minute.
    pub last_used_at: Micros,
    /// When it is logged out by itself.
    pub expires_at: Micros,
    /// It is the one that asks.
    pub current: bool,
}

/// Last used first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogIns {
    /// Those that hold now.
    pub logins: Vec<LogInInfo>,
}
impl Reply for LogIns {}

/// Path of a log-in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogInPath {
    /// Id of the log-in, as `GET /v1/logins` lists it.
    pub login: String,
}
