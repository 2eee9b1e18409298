//! The audit log: log-ins, created and revoked keys, decisions, deletions and changed settings.
//!
//! An entry has ids, times, names of keys and folders, and settings. It has no secrets, titles or contents of messages.

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
        /// A password, a passkey or an account at a provider logs in from now on.
        LogInMethodAdded = "log_in_method_added",
        /// A password, a passkey or an account at a provider no longer logs in.
        LogInMethodRemoved = "log_in_method_removed",
        /// A person was added.
        PersonAdded = "person_added",
        /// A link was created by which a person logs in.
        PersonInvited = "person_invited",
        /// A person's name or role was changed.
        PersonChanged = "person_changed",
        /// A person was removed.
        PersonRemoved = "person_removed",
        /// Who sees a project was changed.
        ProjectPeopleChanged = "project_people_changed",
        /// A wrong or expired code was refused.
        LogInRefused = "log_in_refused",
        /// A key for an agent was created.
        KeyMade = "key_made",
        /// A key was revoked.
        KeyRevoked = "key_revoked",
        /// The quota of a key was changed.
        QuotaChanged = "quota_changed",
        /// An APPROVAL was decided, or a button of a FILE pressed.
        Decided = "decided",
        /// An agent was started.
        AgentStarted = "agent_started",
        /// A session was deleted. It can be restored.
        SessionDeleted = "session_deleted",
        /// A deleted session was restored.
        SessionRestored = "session_restored",
        /// Deleted sessions were removed permanently.
        SessionsPurged = "sessions_purged",
        /// A text was erased from sessions.
        TextErased = "text_erased",
        /// Consent to read a folder was given or withdrawn.
        FolderChanged = "folder_changed",
        /// Everything that was imported from a folder was deleted permanently.
        FolderForgotten = "folder_forgotten",
        /// An import of files was started.
        ImportStarted = "import_started",
        /// A person's preferences were changed.
        PreferencesChanged = "preferences_changed",
        /// A message type was declared, or its document changed.
        TypeDeclared = "type_declared",
        /// A declared message type was removed.
        TypeRemoved = "type_removed",
        /// A rule that always allows a call was created.
        RuleMade = "rule_made",
        /// A rule was revoked.
        RuleRevoked = "rule_revoked",
        /// A channel was added or restored.
        ChannelAdded = "channel_added",
        /// A channel's settings or people were changed, or it was paused.
        ChannelChanged = "channel_changed",
        /// A channel was removed.
        ChannelRemoved = "channel_removed",
        /// A schedule was created or restored.
        ScheduleMade = "schedule_made",
        /// A schedule was changed or paused.
        ScheduleChanged = "schedule_changed",
        /// A schedule was removed.
        ScheduleRemoved = "schedule_removed",
        /// A link to read a session without a log-in was created.
        ShareMade = "share_made",
        /// A link to a session was revoked.
        ShareRevoked = "share_revoked",
        /// Another machine was added.
        MachineAdded = "machine_added",
        /// A machine was renamed.
        MachineRenamed = "machine_renamed",
        /// A machine was removed.
        MachineRemoved = "machine_removed",
        /// The database was repaired, possibly with data loss.
        DatabaseRepaired = "database_repaired",
        /// This log was exported.
        AuditExported = "audit_exported",
        /// Written by a newer version, or damaged.
        Unknown = "unknown",
    }
}

/// An entry of the audit log. `hash` is the SHA-256 of the entry without `hash`, as canonical JSON (RFC 8785).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditEntry"))]
pub struct Entry {
    /// Position in the log, from 1 without gaps.
    pub number: i64,
    /// When it happened, by the server's clock.
    pub at: Micros,
    /// Who did it, as far as the request shows.
    pub who: Actor,
    /// The event, with its `kind`.
    pub what: Event,
    /// `hash` of the previous entry; empty for the first one.
    pub previous: String,
    /// SHA-256 in hex.
    pub hash: String,
}

/// An entry before it is written. Writing adds its number and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// When it happened, by the server's clock.
    pub at: Micros,
    /// Who did it, as far as the request shows.
    pub who: Actor,
    /// The event.
    pub what: Event,
}

/// The author of an event.
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
        /// Name of the person. Absent for the owner of the machine who has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// A command on the server's machine.
    Command,
    /// An agent.
    Key {
        /// Id of the key. It is no secret.
        id: String,
        /// Name of the key at that time.
        name: String,
    },
    /// A person in a channel, by the name in the owner's list of people.
    Person {
        /// Name of the channel.
        channel: String,
        /// Name of the person.
        name: String,
    },
    /// The server itself.
    Verbatim,
    /// A client without a log-in.
    Stranger,
    /// Written by a newer version, or damaged.
    #[serde(other)]
    Unknown,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditEvent"))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// The browser logged in.
    LogInBegan,
    /// A person logged a browser out.
    LogInEnded {
        /// Id of the log-in that ended.
        login: String,
        /// Name of the browser, as it reported it: `Firefox on Linux`.
        browser: String,
    },
    /// A password, a passkey or an account at a provider logs in from now on.
    LogInMethodAdded {
        /// Id of the person.
        person: String,
        /// `password`, `passkey` or `single_sign_on`.
        method: String,
        /// Name of a passkey or of a provider.
        label: String,
    },
    /// A password, a passkey or an account at a provider no longer logs in.
    LogInMethodRemoved {
        /// Id of the person.
        person: String,
        /// `password`, `passkey` or `single_sign_on`.
        method: String,
        /// Name of a passkey or of a provider.
        label: String,
    },
    /// A link was created by which a person logs in.
    PersonInvited {
        /// Id of the person.
        person: String,
        /// Name of the person.
        name: String,
    },
    /// A person was added.
    PersonAdded {
        /// Id of the person.
        person: String,
        /// Name of the person.
        name: String,
        /// `owner`, `member` or `viewer`.
        role: String,
    },
    /// A person's name or role was changed.
    PersonChanged {
        /// Id of the person.
        person: String,
        /// Name after the change.
        name: String,
        /// Role after the change.
        role: String,
    },
    /// A person was removed, and logged out everywhere.
    PersonRemoved {
        /// Id of the person.
        person: String,
        /// Name of the person.
        name: String,
    },
    /// Who sees a project was changed.
    ProjectPeopleChanged {
        /// The project.
        project: String,
        /// Names of the people who see it besides owners. Absent if everybody sees it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        people: Option<Vec<String>>,
    },
    /// Wrong or expired codes were sent. Those within a minute are one entry.
    LogInRefused {
        /// Number of codes within the minute.
        count: u64,
    },
    /// A key for an agent was created.
    KeyMade {
        /// Id of the key.
        key: String,
        /// Name of the key.
        name: String,
        /// Scopes of the key: `post`, `read`, `read_all`, `mirror`.
        scopes: Vec<String>,
        /// When the key expires. Absent if it doesn't.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires_at: Option<Micros>,
        /// Quota of the key.
        quota: Amount,
    },
    /// A key was revoked.
    KeyRevoked {
        /// Id of the key.
        key: String,
        /// Name of the key.
        name: String,
    },
    /// The quota of a key was changed.
    QuotaChanged {
        /// Id of the key.
        key: String,
        /// Name of the key.
        name: String,
        /// Previous quota.
        old: Amount,
        /// New quota.
        new: Amount,
    },
    /// An APPROVAL was decided, or a button of a FILE was pressed (`answered`).
    Decided {
        /// Id of the session.
        session: String,
        /// Id of the message.
        approval: String,
        /// State of the approval after the decision.
        choice: ApprovalState,
    },
    /// An agent was started in a folder, in a new session or to continue one.
    AgentStarted {
        /// Id of the session.
        session: String,
        /// Name of the agent: `claude`.
        agent: String,
        /// Absolute path of its working folder.
        folder: String,
    },
    /// A session and those of its sub-agents were deleted.
    SessionDeleted {
        /// Id of the session.
        session: String,
    },
    /// A session and those of its sub-agents were restored.
    SessionRestored {
        /// Id of the session.
        session: String,
    },
    /// Sessions were removed permanently.
    SessionsPurged {
        /// Ids, at most 100 per entry.
        sessions: Vec<String>,
    },
    /// A text was erased. What it was isn't recorded.
    TextErased {
        /// Ids of the sessions that were looked through.
        sessions: Vec<String>,
        /// Number of messages that contained it.
        messages: u64,
        /// Number of files and pictures that contained it, and were deleted.
        files: u64,
    },
    /// Consent to read a folder was given or withdrawn.
    FolderChanged {
        /// Absolute path of the folder.
        folder: String,
        /// Target of the folder, if it is a link. The consent applies to this target.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        leads_to: Option<String>,
        /// `following`, `paused`, `excluded` or `waiting`.
        state: String,
    },
    /// Everything that was imported from a folder was deleted permanently.
    FolderForgotten {
        /// Absolute path of the folder.
        folder: String,
        /// Number of sessions.
        sessions: u64,
    },
    /// A command imported files or folders.
    ImportStarted {
        /// At most 20 files and folders.
        paths: Vec<String>,
        /// Number of files found in the paths.
        files: u64,
    },
    /// A person changed preferences, or the workspace's settings for message types: `plain`, `unvalidated`.
    PreferencesChanged {
        /// The changed fields.
        changes: Vec<Change>,
    },
    /// A message type was declared, or its document changed.
    TypeDeclared {
        /// Type of the messages.
        message_type: String,
        /// Version of the payload that the document shows.
        version: i64,
        /// SHA-256 of the canonical document, in hex.
        sha256: String,
    },
    /// A declared message type was removed, with all its versions.
    TypeRemoved {
        /// Type of the messages.
        message_type: String,
    },
    /// A rule that always allows a call was created.
    RuleMade {
        /// In the agent's syntax: `Bash(npm test)`.
        rule: String,
        /// The folder in which it applies.
        folder: String,
    },
    /// A rule was revoked.
    RuleRevoked {
        /// The rule, in the agent's syntax.
        rule: String,
        /// The folder in which it applied.
        folder: String,
    },
    /// A channel was added or restored.
    ChannelAdded {
        /// Id of the channel.
        channel: String,
        /// Its name.
        name: String,
        /// Kind of the channel: `matrix`.
        channel_kind: String,
    },
    /// A channel was changed.
    ChannelChanged {
        /// Id of the channel.
        channel: String,
        /// Its name.
        name: String,
        /// Changed fields: `name`, `settings`, `people`, `paused`, `sessions`, `verbosity`.
        fields: Vec<String>,
    },
    /// A channel was removed. It can be restored.
    ChannelRemoved {
        /// Id of the channel.
        channel: String,
        /// Its name.
        name: String,
    },
    /// A schedule was created or restored.
    ScheduleMade {
        /// Id of the schedule.
        schedule: String,
        /// Id of its session.
        session: String,
    },
    /// A schedule was changed.
    ScheduleChanged {
        /// Id of the schedule.
        schedule: String,
        /// Id of its session.
        session: String,
        /// Changed fields: `prompt`, `at`, `cron`, `zone`, `paused`.
        fields: Vec<String>,
    },
    /// A schedule was removed. It can be restored.
    ScheduleRemoved {
        /// Id of the schedule.
        schedule: String,
        /// Id of its session.
        session: String,
    },
    /// A link was created by which a part of a session is read without a log-in.
    ShareMade {
        /// Id of the link.
        share: String,
        /// Id of the session.
        session: String,
        /// First `seq` of the range.
        from: i64,
        /// Last `seq` of the range.
        to: i64,
        /// True if secrets are masked.
        redacted: bool,
        /// When the link expires.
        expires_at: Micros,
    },
    /// A link was revoked.
    ShareRevoked {
        /// Id of the link.
        share: String,
        /// Id of the session.
        session: String,
    },
    /// Another machine was added, which sends its agents' files.
    MachineAdded {
        /// Id of the machine.
        machine: String,
        /// Name of the machine.
        name: String,
    },
    /// A machine was renamed.
    MachineRenamed {
        /// Id of the machine.
        machine: String,
        /// The new name.
        name: String,
    },
    /// A machine was removed, and its key revoked.
    MachineRemoved {
        /// Id of the machine.
        machine: String,
        /// Name of the machine.
        name: String,
    },
    /// `verbatim repair` repaired a damaged database.
    DatabaseRepaired {
        /// Number of unreadable messages.
        messages_lost: u64,
        /// Number of unreadable entries of this log, or ranges of them.
        entries_lost: u64,
    },
    /// A person or a command exported the whole log.
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
            Self::LogInMethodAdded { .. } => AuditKind::LogInMethodAdded,
            Self::LogInMethodRemoved { .. } => AuditKind::LogInMethodRemoved,
            Self::PersonInvited { .. } => AuditKind::PersonInvited,
            Self::PersonAdded { .. } => AuditKind::PersonAdded,
            Self::PersonChanged { .. } => AuditKind::PersonChanged,
            Self::PersonRemoved { .. } => AuditKind::PersonRemoved,
            Self::ProjectPeopleChanged { .. } => AuditKind::ProjectPeopleChanged,
            Self::LogInRefused { .. } => AuditKind::LogInRefused,
            Self::KeyMade { .. } => AuditKind::KeyMade,
            Self::KeyRevoked { .. } => AuditKind::KeyRevoked,
            Self::QuotaChanged { .. } => AuditKind::QuotaChanged,
            Self::Decided { .. } => AuditKind::Decided,
            Self::AgentStarted { .. } => AuditKind::AgentStarted,
            Self::SessionDeleted { .. } => AuditKind::SessionDeleted,
            Self::SessionRestored { .. } => AuditKind::SessionRestored,
            Self::SessionsPurged { .. } => AuditKind::SessionsPurged,
            Self::TextErased { .. } => AuditKind::TextErased,
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
            Self::ShareMade { .. } => AuditKind::ShareMade,
            Self::ShareRevoked { .. } => AuditKind::ShareRevoked,
            Self::MachineAdded { .. } => AuditKind::MachineAdded,
            Self::MachineRenamed { .. } => AuditKind::MachineRenamed,
            Self::MachineRemoved { .. } => AuditKind::MachineRemoved,
            Self::DatabaseRepaired { .. } => AuditKind::DatabaseRepaired,
            Self::AuditExported => AuditKind::AuditExported,
            Self::Unknown => AuditKind::Unknown,
        }
    }
}

/// The total that a key may post.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditAmount"))]
pub struct Amount {
    /// Number of messages. A created session counts as one.
    pub messages: i64,
    /// Bytes of messages, updates and files.
    pub bytes: i64,
}

/// A changed preference. For `keys` only the changed commands, for `views` the names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AuditChange"))]
pub struct Change {
    /// Name of the preference: `editor`.
    pub field: String,
    /// Previous value.
    pub old: Value,
    /// New value.
    pub new: Value,
}
