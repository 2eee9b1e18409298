//! A schedule's time has come: it is claimed, and what is said because of it is written, in one transaction.

use super::posts::{self, Together};
use crate::schedules::Outcome;
use crate::step::Step;
use crate::store::on_step;
use crate::{LiveDone, LiveDue, Refusal, StoreError};

pub(super) async fn run(step: &mut Step<'_>, due: &LiveDue) -> Result<Result<LiveDone, Refusal>, StoreError> {
    // Another server may have been first, or a person changed it meanwhile.
    let claimed: u64 = on_step!(step, c => {
        sqlx::query(
            "UPDATE schedule SET next_at = $4 WHERE workspace_id = $1 AND id = $2 AND next_at = $3 \
             AND paused_at IS NULL AND removed_at IS NULL",
        )
        .bind(step.workspace).bind(&due.schedule).bind(due.claims.map(|at| at.0)).bind(due.next.map(|at| at.0))
        .execute(c).await.map(|done| done.rows_affected())
    })?;
    if due.claims.is_some() && claimed == 0 {
        return Ok(Err(Refusal::NotDue));
    }
    let mut ran = Vec::new();
    if let Some(missed) = &due.missed {
        let told: Vec<_> = missed.told.iter().collect();
        posts::write(step, &told, Together::EachByItself).await?;
        ran.push((missed.last_at, Outcome::Missed, missed.count, None, None));
    }
    let mut done = None;
    if let Some((at, post)) = &due.prompt {
        let posted = posts::write(step, &[post], Together::EachByItself).await?;
        match posted.into_iter().next() {
            Some(Ok(posted)) => {
                ran.push((*at, Outcome::Sent, 0, Some(post.draft.id.as_str()), None));
                done = Some(posted);
            }
            Some(Err(refusal)) => {
                let reason = match refusal {
                    Refusal::NoSession | Refusal::Deleted { .. } => "The session was deleted",
                    _ => "Another message has its id",
                };
                ran.push((*at, Outcome::Refused, 0, None, Some(reason)));
            }
            None => {}
        }
    }
    ran.extend(due.refused.map(|(at, reason)| (at, Outcome::Refused, 0, None, Some(reason))));
    for (at, outcome, count, message, reason) in ran {
        on_step!(step, c => {
            sqlx::query(
                "INSERT INTO schedule_run (workspace_id, schedule_id, due_at, outcome, missed, message_id, reason, ran_at) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (workspace_id, schedule_id, due_at) DO NOTHING",
            )
            .bind(step.workspace).bind(&due.schedule).bind(at.0).bind(outcome.as_str()).bind(count).bind(message)
            .bind(reason).bind(step.now.0).execute(c).await.map(drop)
        })?;
    }
    Ok(Ok(LiveDone::Ran(done.map(Box::new))))
}
