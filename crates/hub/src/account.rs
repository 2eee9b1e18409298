//! Authentication: log-ins, keys, and the audit log.

pub mod audit;
pub mod audit_log;
pub mod endpoints;
pub mod keys;
pub mod login;

pub(crate) use audit_log::{check_audit, list_audit};
pub(crate) use endpoints::*;
