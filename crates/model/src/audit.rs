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
        /// A browser logged in.
        LogInBegan = "log_in_began",
        /// A browser was logged out.
        LogInEnded = "log_in_ended",
        /// A wrong or expired code was refused.
        LogInRefused = "log_in_refused",
        /// A key for an agent was made.
        KeyMade = "key_made",
        /// A key was revoked.
        KeyRevoked = "key_revoked",
        /// The most that a key may post was changed.
        QuotaChanged = "quota_changed",
        /// An APPROVAL was decided, or a button of a FILE pressed.
        Decided = "decided",
        /// An agent was started.
        AgentStarted = "agent_started",
        /// A session was deleted. It can be restored.
        SessionDeleted = "session_deleted",
        /// The deletion of a session was undone.
        SessionRestored = "session_restored",
        /// Deleted sessions were deleted for good.
        SessionsPurged = "sessions_purged",
        /// Consent to read a folder was given or ended.
        FolderChanged = "folder_changed",
        /// All that was imported from a folder was deleted for good.
        FolderForgotten = "folder_forgotten",
        /// An import of files was started.
        ImportStarted = "import_started",
        /// A person's preferences were changed.
        PreferencesChanged = "preferences_changed",
        /// A message type was declared, or its document changed.
        TypeDeclared = "type_declared",
        /// A declared message type was removed.
        TypeRemoved = "type_removed",
        /// A person always allows something from then on.
        RuleMade = "rule_made",
        /// What was always allowed is asked about again.
        RuleRevoked = "rule_revoked",
        /// A channel was added, or what was removed came back.
        ChannelAdded = "channel_added",
        /// A channel's settings or people were changed, or it was paused.
        ChannelChanged = "channel_changed",
        /// A channel was removed.
        ChannelRemoved = "channel_removed",
        /// A schedule was made, or what was removed came back.
        ScheduleMade = "schedule_made",
        /// A schedule was changed or paused.
        ScheduleChanged = "schedule_changed",
        /// A schedule was removed.
        ScheduleRemoved = "schedule_removed",
        /// The database was repaired, perhaps with losses.
        DatabaseRepaired = "database_repaired",
        /// This log was exported.
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
    /// When it happened, by the server's clock.
    pub at: Micros,
    /// Who did it, as far as the request showed.
    pub who: Actor,
    /// What happened. Its `kind` names it.
    pub what: Event,
    /// `hash` of the entry before; empty for the first one.
    pub previous: String,
    /// SHA-256 in hex.
    pub hash: String,
}

/// An entry before it is written, which gives it its number and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// When it happened, by the server's clock.
    pub at: Micros,
    /// Who did it, as far as the request showed.
    pub who: Actor,
    /// What happened.
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
    Key {
        /// Id of the key, which is no secret.
        id: String,
        /// Name of the key, as it was when it acted.
        name: String,
    },
    /// A person in a channel, as the owner's list of people names them.
    Person {
        /// Name of the channel.
        channel: String,
        /// Name of the person.
        name: String,
    },
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
    /// A person logged a browser out.
    LogInEnded {
        /// Id of the log-in that ended.
        login: String,
        /// What the browser called itself: `Firefox on Linux`.
        browser: String,
    },
    /// Wrong or expired codes. Within a minute they are one entry.
    LogInRefused {
        /// How many within the minute.
        count: u64,
    },
    /// A key for an agent was made.
    KeyMade {
        /// Id of the key.
        key: String,
        /// Name of the key.
        name: String,
        /// What it may do: `post`, `read`, `read_all`, `mirror`.
        scopes: Vec<String>,
        /// When it stops to hold; absent for a key that holds until it is revoked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires_at: Option<Micros>,
        /// The most that it may post.
        quota: Amount,
    },
    /// A key was revoked.
    KeyRevoked {
        /// Id of the key.
        key: String,
        /// Name of the key.
        name: String,
    },
    /// The most that a key may post was changed.
    QuotaChanged {
        /// Id of the key.
        key: String,
        /// Name of the key.
        name: String,
        /// The quota before.
        old: Amount,
        /// The quota from then on.
        new: Amount,
    },
    /// A decision on an APPROVAL, or a press of a button of a FILE, which is `answered`.
    Decided {
        /// Id of the session.
        session: String,
        /// Id of the message.
        approval: String,
        /// The state that the decision gave it.
        choice: ApprovalState,
    },
    /// An agent was started in a folder, anew or to go on with its session.
    AgentStarted {
        /// Id of the session.
        session: String,
        /// Name of the agent: `claude`.
        agent: String,
        /// Absolute path of the folder that it works in.
        folder: String,
    },
    /// With the sessions of its sub-agents.
    SessionDeleted {
        /// Id of the session.
        session: String,
    },
    /// With the sessions of its sub-agents.
    SessionRestored {
        /// Id of the session.
        session: String,
    },
    /// Deleted for good.
    SessionsPurged {
        /// At most 100 ids; further ones are in the next entry.
        sessions: Vec<String>,
    },
    /// Consent to read a folder, or its end.
    FolderChanged {
        /// Absolute path of the folder.
        folder: String,
        /// Where it leads, if it is a link: the consent is to this place.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        leads_to: Option<String>,
        /// `following`, `paused`, `excluded` or `waiting`.
        state: String,
    },
    /// All that was imported from a folder was deleted for good.
    FolderForgotten {
        /// Absolute path of the folder.
        folder: String,
        /// How many.
        sessions: u64,
    },
    /// A command imported files or folders.
    ImportStarted {
        /// At most 20 files and folders.
        paths: Vec<String>,
        /// Files that were found below the paths.
        files: u64,
    },
    /// A person changed preferences, or how the workspace treats message types: `plain`, `unvalidated`.
    PreferencesChanged {
        /// Only the fields that changed.
        changes: Vec<Change>,
    },
    /// A message type was declared, or its document changed.
    TypeDeclared {
        /// The tag of its messages.
        message_type: String,
        /// Version of the payload that the document shows.
        version: i64,
        /// Of the canonical document, in hex.
        sha256: String,
    },
    /// A declared message type was removed, with all its versions.
    TypeRemoved {
        /// The tag of its messages.
        message_type: String,
    },
    /// A person always allows something from then on.
    RuleMade {
        /// In the agent's syntax: `Bash(npm test)`.
        rule: String,
        /// The folder in which it holds.
        folder: String,
    },
    /// What was always allowed is asked about again.
    RuleRevoked {
        /// In the agent's syntax.
        rule: String,
        /// The folder in which it held.
        folder: String,
    },
    /// A channel was added, or one that was removed came back.
    ChannelAdded {
        /// Id of the channel.
        channel: String,
        /// Its name.
        name: String,
        /// What it is: `matrix`.
        channel_kind: String,
    },
    /// A channel was changed.
    ChannelChanged {
        /// Id of the channel.
        channel: String,
        /// Its name.
        name: String,
        /// What changed: `name`, `settings`, `people`, `paused`, `sessions`, `verbosity`.
        fields: Vec<String>,
    },
    /// A channel was removed. It can come back.
    ChannelRemoved {
        /// Id of the channel.
        channel: String,
        /// Its name.
        name: String,
    },
    /// A schedule was made, or one that was removed came back.
    ScheduleMade {
        /// Id of the schedule.
        schedule: String,
        /// Id of the session that it sends to.
        session: String,
    },
    /// A schedule was changed.
    ScheduleChanged {
        /// Id of the schedule.
        schedule: String,
        /// Id of the session that it sends to.
        session: String,
        /// What changed: `prompt`, `at`, `cron`, `zone`, `paused`.
        fields: Vec<String>,
    },
    /// A schedule was removed. It can come back.
    ScheduleRemoved {
        /// Id of the schedule.
        schedule: String,
        /// Id of the session that it sent to.
        session: String,
    },
    /// `verbatim repair` put a damaged database in order.
    DatabaseRepaired {
        /// Messages that couldn't be read.
        messages_lost: u64,
        /// Entries of this log, or stretches of them, that couldn't be read.
        entries_lost: u64,
    },
    /// A person or a command read the whole log into a file.
    AuditExported,
    /// Written by a newer version, or damaged.
    #[serde(other)]
    Unknown,
}

impl Event {
    /// Returns the kind, for filters.
    pub fn kind(&self) -> AuditKind {
        match self {
            Self::LogInBegan => AuditKind::LogInBegan,
            Self::LogInEnded { .. } => AuditKind::LogInEnded,
            Self::LogInRefused { .. } => AuditKind::LogInRefused,
            Self::KeyMade { .. } => AuditKind::KeyMade,
            Self::KeyRevoked { .. } => AuditKind::KeyRevoked,
            Self::QuotaChanged { .. } => AuditKind::QuotaChanged,
            Self::Decided { .. } => AuditKind::Decided,
            Self::AgentStarted { .. } => AuditKind::AgentStarted,
            Self::SessionDeleted { .. } => AuditKind::SessionDeleted,
            Self::SessionRestored { .. } => AuditKind::SessionRestored,
            Self::SessionsPurged { .. } => AuditKind::SessionsPurged,
            Self::FolderChanged { .. } => AuditKind::FolderChanged,
            Self::FolderForgotten { .. } => AuditKind::FolderForgotten,
            Self::ImportStarted { .. } => AuditKind::ImportStarted,
            Self::PreferencesChanged { .. } => AuditKind::PreferencesChanged,
            Self::TypeDeclared { .. } => AuditKind::TypeDeclared,
            Self::TypeRemoved { .. } => AuditKind::TypeRemoved,
            Self::RuleMade { .. } => AuditKind::RuleMade,
            Self::RuleRevoked { .. } => AuditKind::RuleRevoked,
            Self::ChannelAdded { .. } => AuditKind::ChannelAdded,
            Self::ChannelChanged { .. } => AuditKind::ChannelChanged,
            Self::ChannelRemoved { .. } => AuditKind::ChannelRemoved,
            Self::ScheduleMade { .. } => AuditKind::ScheduleMade,
            Self::ScheduleChanged { .. } => AuditKind::ScheduleChanged,
            Self::ScheduleRemoved { .. } => AuditKind::ScheduleRemoved,
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
    /// Messages; a session that it makes counts as one.
    pub messages: i64,
    /// Bytes of messages, of changes to them, and of files.
    pub bytes: i64,
}

/// A preference before and after. Of `keys` the changed commands, of `views` the names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditChange"))]
pub struct Change {
    /// Name of the preference: `editor`.
    pub field: String,
    /// The value before.
    pub old: Value,
    /// The value from then on.
    pub new: Value,
}
