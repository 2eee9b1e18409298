//! Looks for what people are told although nobody asked: agents that were lost, imports that finished, a disk that
//! fills up.

use crate::basics::clock;
use crate::context::Hub;
use crate::costs::spending;
use crate::host::{HostEvent, HostMessage};
use crate::imports::Jobs;
use api::cost::BudgetState;
use jiff::tz::TimeZone;
use model::{Micros, SessionState};
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;
use store::{DiskSpace, Sight};

const PAUSE: Duration = Duration::from_secs(15);
/// A disk with less is nearly full, unless it is that small.
const LOW: u64 = 1 << 30;
const LOW_PART: u64 = 20;

fn is_low(disk: DiskSpace) -> bool {
    disk.free < LOW.min(disk.total / LOW_PART)
}

/// Notices that were already given.
#[derive(Debug, Default)]
pub struct Watch {
    lost: HashSet<String>,
    import: u64,
    disk_is_low: bool,
    /// The end of the feed when budgets were looked at: nothing is spent without a change.
    budgets_at: Option<i64>,
    /// Budgets that were told of.
    budgets: HashSet<String>,
}

impl Watch {
    /// Takes a look, and tells what is new.
    pub async fn look(&mut self, hub: &Hub, now: Micros, disk: Option<DiskSpace>) {
        match hub.workspace.sessions_with_runs(now).await {
            Ok(sessions) => {
                for (session, run) in sessions {
                    if session.state == SessionState::Lost && self.lost.insert(run.clone()) {
                        let message = HostMessage::new(&HostEvent::AgentLost).with_id(format!("host-lost-{run}"));
                        hub.tell_session(&session.id, &message).await;
                    }
                }
            }
            Err(error) => tracing::debug!(%error, "sessions with runs can't be read"),
        }
        for job in hub.state::<Jobs>().list() {
            if job.done && job.id > self.import {
                self.import = job.id;
                let event =
                    HostEvent::ImportFinished { files: job.files, sessions: job.sessions, messages: job.messages };
                hub.tell_all(&HostMessage::new(&event)).await;
            }
        }
        self.look_at_budgets(hub, now).await;
        let was_low = self.disk_is_low;
        self.disk_is_low = disk.is_some_and(is_low);
        if let Some(disk) = disk.filter(|_| self.disk_is_low && !was_low) {
            // Where nobody is told otherwise, it is worth a session.
            if let Err(problem) = hub.make_operations().await {
                tracing::warn!(%problem, "there is no session for operations");
            }
            hub.tell_all(&HostMessage::new(&HostEvent::DiskNearlyFull { free_mib: disk.free >> 20 })).await;
        }
    }

    /// Tells of a budget that is nearly spent, and again when it is: once for each day and month.
    async fn look_at_budgets(&mut self, hub: &Hub, now: Micros) {
        let end = hub.workspace.feed_pos().await.ok();
        if end.is_some() && self.budgets_at == end {
            return;
        }
        self.budgets_at = end;
        let budgets = match spending::of_today(hub, &Sight::All, &TimeZone::system(), now).await {
            Ok(budgets) => budgets,
            Err(problem) => return tracing::debug!(%problem, "budgets can't be read"),
        };
        for (period, budget) in [("daily", budgets.day), ("monthly", budgets.month)] {
            let Some(budget) = budget.filter(|budget| budget.state != BudgetState::Ok) else { continue };
            let stands = if budget.state == BudgetState::Over { "over" } else { "near" };
            let id = format!("host-budget-{period}-{}-{stands}-{}", budget.from, budget.limit_usd);
            if !self.budgets.insert(id.clone()) {
                continue;
            }
            if let Err(problem) = hub.make_operations().await {
                tracing::warn!(%problem, "there is no session for operations");
            }
            let (spent_usd, limit_usd) = (budget.spent.usd.unwrap_or(0.0), budget.limit_usd);
            let event = HostEvent::Budget { period, spent_usd, limit_usd };
            hub.tell_all(&HostMessage::new(&event).with_id(id)).await;
        }
    }
}

/// Looks for as long as the hub lives.
pub async fn watch(hub: Hub, dir: PathBuf) {
    let mut watch = Watch::default();
    while hub.shutdown.run_until_cancelled(tokio::time::sleep(PAUSE)).await.is_some() {
        watch.look(&hub, clock::now(), DiskSpace::of(&dir)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::{DiskSpace, is_low};

    #[test]
    fn a_disk_is_nearly_full_below_a_gigabyte_or_a_twentieth() {
        let is_low = |total: u64, free: u64| is_low(DiskSpace { total, free });
        let gib = 1 << 30;
        assert!(is_low(500 * gib, gib - 1));
        assert!(!is_low(500 * gib, gib));
        assert!(is_low(10 * gib, gib / 4));
        assert!(!is_low(10 * gib, gib / 2));
    }
}
