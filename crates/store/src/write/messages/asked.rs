//! Approvals that an agent asked for by its hook or its driver. They have the ids that the agent's transcript gives
//! them later: the card stays one, and a decision that was made here isn't taken back by what is read. So do prompts of
//! schedules: the transcript doesn't tell that they are.

use super::Planned;
use super::rows::Old;
use super::{Kind, merge};
use crate::StoreError;
use crate::pack::{unpack_draft, unpack_references};
use crate::step::Step;
use crate::store::on_step;
use crate::write::sessions::Sessions;
use model::MessageType;
use model::message_type::approval::is_asked_by_driver;
use std::collections::{BTreeSet, HashMap};

/// Session and id of each message that an agent asked for here.
pub(super) async fn here(
    step: &mut Step<'_>,
    sessions: &mut Sessions,
    planned: &[Planned],
    stored: &HashMap<(i64, String), Old>,
) -> Result<BTreeSet<(i64, String)>, StoreError> {
    let mut asked = BTreeSet::new();
    let approvals = planned.iter().filter(|planned| planned.message.message_type == MessageType::Approval);
    for planned in approvals {
        let key = (planned.session_rid, planned.message.id.clone());
        let Some(old) = stored.get(&key) else { continue };
        let session = sessions.row(planned.session).id.clone();
        let found: Option<i64> = on_step!(step, c => {
            sqlx::query_scalar(
                "SELECT until FROM hook_request WHERE workspace_id = $1 AND session_id = $2 AND message_id = $3",
            )
            .bind(step.workspace).bind(&session).bind(&key.1).fetch_optional(c).await
        })?;
        if found.is_some() || is_driven(step, old).await? {
            asked.insert(key);
        }
    }
    Ok(asked)
}

/// Session and id of each message that a schedule posted, as its agent's transcript has it too.
pub(super) async fn by_schedules(
    step: &mut Step<'_>,
    planned: &[Planned],
    stored: &HashMap<(i64, String), Old>,
) -> Result<BTreeSet<(i64, String)>, StoreError> {
    let mut posted = BTreeSet::new();
    for planned in planned {
        let key = (planned.session_rid, planned.message.id.clone());
        // Their ids are UUIDs of version 8, which nobody else makes: the others cost no question.
        if key.1.len() != 36 || key.1.as_bytes().get(14) != Some(&b'8') || !stored.contains_key(&key) {
            continue;
        }
        let found: Option<i64> = on_step!(step, c => {
            sqlx::query_scalar("SELECT due_at FROM schedule_run WHERE workspace_id = $1 AND message_id = $2")
                .bind(step.workspace).bind(&key.1).fetch_optional(c).await
        })?;
        if found.is_some() {
            posted.insert(key);
        }
    }
    Ok(posted)
}

async fn is_driven(step: &mut Step<'_>, old: &Old) -> Result<bool, StoreError> {
    let body: Vec<u8> = on_step!(step, c => {
        sqlx::query_scalar("SELECT body FROM message WHERE rid = $1").bind(old.rid).fetch_one(c).await
    })?;
    Ok(is_asked_by_driver(&unpack_draft(&body)?))
}

/// Does the stored row stay as it is? It does unless it is open, and the transcript holds the answer.
pub(super) fn stays(old: &Old, planned: &Planned) -> bool {
    old.asks == 0 || planned.message.approval_open
}

/// Leaves the stored row, which gets the lines of the transcript as its records.
pub(super) fn keep(planned: &mut Planned, old: &Old) -> Result<(), StoreError> {
    let mut references = unpack_references(&old.records)?;
    let grown = merge(&mut references, &planned.references);
    planned.references = references;
    (planned.rid, planned.seq, planned.copied) = (old.rid, old.seq, old.copied != 0);
    planned.revision = old.revision;
    planned.kind = if grown { Kind::Referenced } else { Kind::Equal };
    Ok(())
}
