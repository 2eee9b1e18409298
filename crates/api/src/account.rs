//! The caller, log-ins, and the state of the server.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};

model::words! {
    /// The role of a person. Each one includes those before it.
    PersonRole {
        /// Reads. Can't post, decide, press buttons, or export originals.
        Viewer = "viewer",
        /// Reads and drives: posts, decides, starts agents, edits and deletes sessions.
        Member = "member",
        /// Also changes settings, keys, channels and people, and sees all projects.
        Owner = "owner",
    }
}

/// The caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Me {
    /// `owner`: a person in a browser, whatever their role. `local`: a command on the server's machine. `agent`: a program
    /// with a key.
    pub kind: String,
    /// Display name. For an agent's key, the name of the key.
    pub name: String,
    /// Always `default`.
    pub workspace: String,
    /// Role of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<PersonRole>,
}
impl Reply for Me {}

/// State of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Health {
    /// Version of the server program.
    pub version: String,
    /// `sqlite` or `postgres`.
    pub store: String,
    /// Number of sessions that aren't deleted, including those of sub-agents.
    pub sessions: i64,
    /// Number of imported files.
    pub sources: i64,
    /// Total size of the imported files, in bytes.
    pub source_bytes: i64,
    /// Why the server refuses writes. Absent if it accepts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
}
impl Reply for Health {}

/// Why the server refuses writes, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Condition {
    /// `database_damaged`: all writes are refused. `disk_full`: only writes that free space are accepted.
    pub code: String,
    /// The problem in one sentence.
    pub title: String,
    /// How a person can fix it.
    pub hint: String,
}

/// A link that logs in a browser. It works once, within 15 minutes. The code is in the URL's fragment, so that no log
/// records it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LaunchCode {
    /// Absolute URL of the server, with the code as its fragment.
    pub url: String,
}
impl Reply for LaunchCode {
    const STATUSES: &'static [u16] = &[201];
}

/// A device to log in, such as a phone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewPairing {
    /// Name of the device in the list of log-ins, 1 to 60 characters. If absent, the browser's own name is used.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 60)))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
impl Input for NewPairing {
    const EXAMPLE: &'static str = r#"{"name": "Ines' phone"}"#;
}

/// A link that logs in a device, also as a QR code. It works once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pairing {
    /// Absolute URL of the server, with the code as its fragment.
    pub url: String,
    /// The QR code of the URL, as the `data:` URL of an SVG image.
    pub qr: String,
    /// When the link expires.
    pub expires_at: Micros,
}
impl Reply for Pairing {
    const STATUSES: &'static [u16] = &[201];
}

/// Header for the second secret of a log-in. Every request that changes something must have it. Browsers send a cookie
/// to all ports of a host, so that other servers of the machine get the cookie, but not this secret.
pub const SECRET_HEADER: &str = "x-verbatim-secret";

/// Header that marks a request whose response goes to a model; its value is [`READER_MODEL`]. Responses to agents' keys
/// are always treated as such.
pub const READER_HEADER: &str = "x-verbatim-reader";

/// The value of [`READER_HEADER`].
pub const READER_MODEL: &str = "model";

/// Label of the log-in that `verbatim tui` creates. Messages and decisions of such a log-in are marked as made in the
/// terminal.
pub const TERMINAL: &str = "Verbatim in a terminal";

/// `POST /v1/login`: exchanges a one-time code for a cookie and a second secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LogIn {
    /// The code from a link of `create_launch_code`. It works once, within 15 minutes.
    pub code: String,
}

/// The second secret of a new log-in. The cookie is in the response's headers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogInSecret {
    /// Value of the `x-verbatim-secret` header, for each request that changes something. It can't be read again.
    pub secret: String,
}

/// Reply of `GET /v1/login`: the log-in of this request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogInState {
    /// True if the request has a valid log-in.
    pub logged_in: bool,
    /// True if the request may make changes: it has the secret of its log-in too.
    pub may_change: bool,
}

/// A browser that is logged in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogInInfo {
    /// Id of the log-in. It is no secret.
    pub id: String,
    /// Name of the person. Absent for the owner of the machine until they are given one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Name of the browser, as it reports it.
    pub label: String,
    /// When the browser logged in.
    pub created_at: Micros,
    /// When it was last used, to the minute.
    pub last_used_at: Micros,
    /// When the log-in expires.
    pub expires_at: Micros,
    /// True for the log-in of this request.
    pub current: bool,
    /// True if the browser shows notifications while no page is open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub notified: bool,
}

/// The log-ins, last used first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogIns {
    /// Log-ins that haven't expired.
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
