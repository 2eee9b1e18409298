//! The audit log: who logged in, made or revoked keys, decided, deleted, and changed settings.

use crate::endpoint::{Input, Reply};
use model::audit::{AuditKind, Entry};
use serde::{Deserialize, Serialize};

/// Which entries of the audit log; all without `kind`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AuditQuery {
    /// Of any of these kinds.
    #[serde(rename = "kind", skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<AuditKind>,
    /// Cursor: `next` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// 1 to 200; 50 if absent.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 200)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}
impl Input for AuditQuery {}

/// Newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditPage {
    /// Of the kinds that were asked for.
    pub entries: Vec<Entry>,
    /// Absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
impl Reply for AuditPage {}

/// Whether each entry is what was written, and none is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditCheck {
    /// How many there are.
    pub entries: i64,
    /// Hash of the newest one. Note it elsewhere: whoever can write to the database can write the whole log anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The first entry that doesn't fit; absent if all do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<AuditFault>,
}
impl Reply for AuditCheck {}

/// The first entry that doesn't fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditFault {
    /// Its number in the log, from 1.
    pub number: i64,
    /// Why it doesn't fit, for programs.
    pub reason: AuditFaultReason,
    /// For people.
    pub meaning: String,
}

model::words! {
    /// Why an entry doesn't fit.
    AuditFaultReason {
        /// It isn't what its hash was made of.
        Changed = "changed",
        /// Entries before it are missing.
        Missing = "missing",
        /// The entry before it was replaced, with its hash.
        Unchained = "unchained",
    }
}
