//! The audit log: log-ins, created and revoked keys, decisions, deletions and changed settings.

use crate::endpoint::{Input, Reply};
use model::audit::{AuditKind, Entry};
use serde::{Deserialize, Serialize};

/// Filter and page of the audit log. Returns all kinds if `kind` is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AuditQuery {
    /// Only entries of these kinds.
    #[serde(rename = "kind", skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<AuditKind>,
    /// Cursor: `next` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Page size, 1 to 200; 50 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for AuditQuery {}

/// A page of the audit log, newest entry first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditPage {
    /// The entries of the requested kinds.
    pub entries: Vec<Entry>,
    /// Cursor of the next page. Absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
impl Reply for AuditPage {}

/// Result of a check of the audit log: whether each entry is unchanged and none is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditCheck {
    /// Number of entries.
    pub entries: i64,
    /// Hash of the newest entry. Store it elsewhere: a writer with access to the database can replace the whole log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The first entry that fails the check. Absent if all pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<AuditFault>,
}
impl Reply for AuditCheck {}

/// The first entry that fails the check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditFault {
    /// Its number in the log, from 1.
    pub number: i64,
    /// Why it fails, for programs.
    pub reason: AuditFaultReason,
    /// Why it fails, for people.
    pub meaning: String,
}

model::words! {
    /// Why an entry fails the check.
    AuditFaultReason {
        /// The entry doesn't match its hash.
        Changed = "changed",
        /// Entries before it are missing.
        Missing = "missing",
        /// The previous entry was replaced, together with its hash.
        Unchained = "unchained",
    }
}
