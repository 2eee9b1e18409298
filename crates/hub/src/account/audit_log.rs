//! The audit log, as it is read.

use crate::basics::problem;
use crate::basics::query::limit;
use crate::context::Scoped;
use api::Problem;
use api::audit::{AuditCheck, AuditFault, AuditFaultReason, AuditPage, AuditQuery};
use store::FaultReason;

pub async fn list_audit(scoped: &Scoped, input: AuditQuery) -> Result<AuditPage, Problem> {
    let limit = limit(input.limit, 50, 200)?;
    let before = match input.after.as_deref().map(str::parse) {
        None => i64::MAX,
        Some(Ok(number)) => number,
        Some(Err(_)) => return Err(Problem::field("after", "`next` of an earlier reply")),
    };
    let found = scoped.hub.workspace.audit_before(before, &input.kinds, limit + 1).await;
    let mut entries = found.map_err(problem)?;
    let more = entries.len() > limit as usize;
    entries.truncate(limit as usize);
    let next = entries.last().filter(|_| more).map(|last| last.number.to_string());
    Ok(AuditPage { entries, next })
}

pub async fn check_audit(scoped: &Scoped) -> Result<AuditCheck, Problem> {
    let store::AuditCheck { entries, head, fault } = scoped.hub.workspace.check_audit().await.map_err(problem)?;
    let fault = fault.map(|store::AuditFault { number, reason }| self::fault(number, reason));
    Ok(AuditCheck { entries, head, fault })
}

/// Says of the first entry of a log that doesn't fit what is wrong with it.
pub(crate) fn fault(number: i64, reason: FaultReason) -> AuditFault {
    let (reason, meaning) = match reason {
        FaultReason::Changed => {
            (AuditFaultReason::Changed, "its text or hash was changed, or the file is damaged".to_owned())
        }
        FaultReason::Missing => (
            AuditFaultReason::Missing,
            "the entries before it are missing: they were deleted, or lost in a repair".to_owned(),
        ),
        FaultReason::Unchained => {
            (AuditFaultReason::Unchained, format!("entry {} was replaced, together with its hash", number - 1))
        }
    };
    AuditFault { number, reason, meaning }
}
