//! The audit log: who logged in, made or revoked keys, decided, deleted, and changed settings.
//!
//! An entry holds ids, times, names of keys and folders, and settings: no secret, no title and no content of a message.

use crate::Micros;
use crate::message_type::approval::ApprovalState;
use serde::{Deserialize, Serialize};
use serde_json::Value;

crate::words! {
    /// The kind of an entry of the audit log.
    AuditKind {
        LogInBegan = "log_in_began",
        LogInEnded = "log_in_ended",
        LogInRefused = "log_in_refused",
        KeyMade = "key_made",
        KeyRevoked = "key_revoked",
        QuotaChanged = "quota_changed",
        Decided = "decided",
        SessionDeleted = "session_deleted",
        SessionRestored = "session_restored",
        SessionsPurged = "sessions_purged",
        FolderChanged = "folder_changed",
        FolderForgotten = "folder_forgotten",
        ImportStarted = "import_started",
        PreferencesChanged = "preferences_changed",
        DatabaseRepaired = "database_repaired",
        AuditExported = "audit_exported",
        /// Written by a newer version, or damaged.
        Unknown = "unknown",
    }
}

/// An entry of the audit log. Without `hash`, as canonical JSON (RFC 8785), it is what `hash` is the SHA-256 of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditEntry"))]
pub struct Entry {
    /// From 1 on, without gaps.
    pub number: i64,
    pub at: Micros,
    pub who: Actor,
    pub what: Event,
    /// `hash` of the entry before; empty for the first one.
    pub previous: String,
    /// SHA-256 in hex.
    pub hash: String,
}

/// An entry before it is written, which gives it its number and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub at: Micros,
    pub who: Actor,
    pub what: Event,
}

/// Who did it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditActor"))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Actor {
    /// A person in a browser.
    Owner {
        /// Id of the log-in.
        login: String,
        /// `Firefox on Linux`.
        browser: String,
    },
    /// A command on the server's machine.
    Command,
    /// An agent.
    Key { id: String, name: String },
    /// The server itself.
    Verbatim,
    /// Somebody without a log-in.
    Stranger,
    /// Written by a newer version, or damaged.
    #[serde(other)]
    Unknown,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditEvent"))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// The browser that did it logged in.
    LogInBegan,
    LogInEnded {
        login: String,
        browser: String,
    },
    /// Wrong or expired codes. Within a minute they are one entry.
    LogInRefused {
        count: u64,
    },
    KeyMade {
        key: String,
        name: String,
        scopes: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires_at: Option<Micros>,
        quota: Amount,
    },
    KeyRevoked {
        key: String,
        name: String,
    },
    QuotaChanged {
        key: String,
        name: String,
        old: Amount,
        new: Amount,
    },
    /// A decision on an APPROVAL, or a press of a button of a FILE, which is `answered`.
    Decided {
        session: String,
        /// Id of the message.
        approval: String,
        choice: ApprovalState,
    },
    /// With the sessions of its sub-agents.
    SessionDeleted {
        session: String,
    },
    SessionRestored {
        session: String,
    },
    /// Deleted for good.
    SessionsPurged {
        /// At most 100 ids; further ones are in the next entry.
        sessions: Vec<String>,
    },
    /// Consent to read a folder, or its end.
    FolderChanged {
        folder: String,
        /// Where it leads, if it is a link: the consent is to this place.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        leads_to: Option<String>,
        /// `following`, `paused`, `excluded` or `waiting`.
        state: String,
    },
    /// All that was imported from a folder was deleted for good.
    FolderForgotten {
        folder: String,
        /// How many.
        sessions: u64,
    },
    ImportStarted {
        /// At most 20 files and folders.
        paths: Vec<String>,
        files: u64,
    },
    PreferencesChanged {
        changes: Vec<Change>,
    },
    DatabaseRepaired {
        messages_lost: u64,
        /// Entries of this log, or stretches of them, that couldn't be read.
        entries_lost: u64,
    },
    AuditExported,
    #[serde(other)]
    Unknown,
}

impl Event {
    pub fn kind(&self) -> AuditKind {
        match self {
            Self::LogInBegan => AuditKind::LogInBegan,
            Self::LogInEnded { .. } => AuditKind::LogInEnded,
            Self::LogInRefused { .. } => AuditKind::LogInRefused,
            Self::KeyMade { .. } => AuditKind::KeyMade,
            Self::KeyRevoked { .. } => AuditKind::KeyRevoked,
            Self::QuotaChanged { .. } => AuditKind::QuotaChanged,
            Self::Decided { .. } => AuditKind::Decided,
            Self::SessionDeleted { .. } => AuditKind::SessionDeleted,
            Self::SessionRestored { .. } => AuditKind::SessionRestored,
            Self::SessionsPurged { .. } => AuditKind::SessionsPurged,
            Self::FolderChanged { .. } => AuditKind::FolderChanged,
            Self::FolderForgotten { .. } => AuditKind::FolderForgotten,
            Self::ImportStarted { .. } => AuditKind::ImportStarted,
            Self::PreferencesChanged { .. } => AuditKind::PreferencesChanged,
            Self::DatabaseRepaired { .. } => AuditKind::DatabaseRepaired,
            Self::AuditExported => AuditKind::AuditExported,
            Self::Unknown => AuditKind::Unknown,
        }
    }
}

/// The most that a key may post.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditAmount"))]
pub struct Amount {
    pub messages: i64,
    pub bytes: i64,
}

/// A preference before and after. Of `keys` the changed commands, of `views` the names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditChange"))]
pub struct Change {
    pub field: String,
    pub old: Value,
    pub new: Value,
}
