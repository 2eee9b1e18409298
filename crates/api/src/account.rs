//! The caller, log-ins, and the state of the server.

use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};
use serde_json::Value;

model::words! {
    /// The role of a person. Each one includes those before it.
    PersonRole {
        /// Reads. Can't post, decide, press buttons, or export originals unless the server allows it.
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

/// `POST /v1/login`: exchanges a one-time code, a password or a passkey's answer for a cookie and a second secret.
/// Exactly one of the three must be present.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LogIn {
    /// The code from a link of `create_launch_code` or of an invitation. It works once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Name of the person, together with `password`. The owner of the machine is also called `owner`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Password of the person, together with `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// The browser's answer to `POST /v1/login/passkey`, as `PublicKeyCredential.toJSON()` returns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<Value>,
}

impl LogIn {
    /// Returns the request with a one-time code.
    pub fn by_code(code: &str) -> Self {
        Self { code: Some(code.to_owned()), ..Self::default() }
    }
}

model::words! {
    /// A way to log in besides links.
    LogInMethodKind {
        /// A password.
        Password = "password",
        /// A passkey: a key that a device or a password manager keeps.
        Passkey = "passkey",
        /// An account at a provider of single sign-on.
        SingleSignOn = "single_sign_on",
    }
}

/// A way in which the caller logs in besides links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogInMethodInfo {
    /// Kind of the method.
    pub kind: LogInMethodKind,
    /// Id. It is no secret.
    pub id: String,
    /// Name of a passkey or of a provider. Empty for a password.
    pub label: String,
    /// When the method was added, or the password was set.
    pub created_at: Micros,
    /// When somebody last logged in by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Micros>,
}

/// The ways in which the caller logs in besides links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogInMethods {
    /// The methods, oldest first.
    pub methods: Vec<LogInMethodInfo>,
    /// True if the caller may change them: they logged in within the last 15 minutes.
    pub may_change: bool,
    /// True if the server has a name for which browsers create passkeys.
    pub has_passkeys: bool,
    /// Name of the provider of single sign-on, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}
impl Reply for LogInMethods {}

/// A new password for the caller.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetPassword {
    /// The password, 12 to 200 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 12, max = 200)))]
    pub password: String,
}
impl Input for SetPassword {
    const EXAMPLE: &'static str = r#"{"password": "seven quinces in a row"}"#;
}

impl std::fmt::Debug for SetPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SetPassword")
    }
}

/// Options with which a browser creates or uses a passkey.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PasskeyOptions {
    /// Options of `WebAuthn` as JSON, for `PublicKeyCredential.parseCreationOptionsFromJSON()` or
    /// `parseRequestOptionsFromJSON()`. They are valid for five minutes, once.
    pub options: Value,
}
impl Reply for PasskeyOptions {
    const STATUSES: &'static [u16] = &[201];
}

/// A passkey that a browser created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewPasskey {
    /// Name of the passkey, 1 to 60 characters: `Phone`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 60)))]
    pub label: String,
    /// The browser's answer to the options, as `PublicKeyCredential.toJSON()` returns it.
    pub credential: Value,
}
impl Input for NewPasskey {
    const EXAMPLE: &'static str = r#"{"label": "Phone", "credential": {"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": {"clientDataJSON": "AAAA", "attestationObject": "AAAA"}}}"#;
    const REFUSALS: &'static [u16] = &[409];
}

/// Where the caller's browser goes on to add an account at the provider of single sign-on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SingleSignOnBegun {
    /// Path and query of the next page. It opens once, within 15 minutes.
    pub path: String,
}
impl Reply for SingleSignOnBegun {
    const STATUSES: &'static [u16] = &[201];
}

/// Path of a method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogInMethodPath {
    /// Kind of the method.
    pub kind: LogInMethodKind,
    /// Id of the method, as `GET /v1/login-methods` lists it.
    pub method: String,
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
