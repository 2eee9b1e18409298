//! Totals that each key has posted, compared to its quota.
//!
//! They are counted in memory, so that no post waits for them, and stored every few seconds and at the end. A crash
//! loses the count of these seconds. Each of several servers misses what the others have counted meanwhile.

use crate::caller::{Agent, Caller};
use api::{Problem, ProblemCode};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{Usage, Workspace};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

const EVERY: Duration = Duration::from_secs(5);

#[derive(Default)]
pub struct Quotas(Mutex<HashMap<String, Count>>);

/// The totals of one key.
#[derive(Default)]
struct Count {
    /// As the store knows it.
    stored: Usage,
    /// The part that isn't stored yet.
    more: Usage,
}

impl Count {
    fn sum(&self) -> Usage {
        plus(self.stored, self.more)
    }
}

impl Quotas {
    fn counts(&self) -> MutexGuard<'_, HashMap<String, Count>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Updates the stored totals of a key. They never decrease: an older value is ignored.
    pub fn learn(&self, key: &str, stored: Usage) {
        let mut counts = self.counts();
        let count = counts.entry(key.to_owned()).or_default();
        count.stored.messages = count.stored.messages.max(stored.messages);
        count.stored.bytes = count.stored.bytes.max(stored.bytes);
    }

    /// Returns the totals of a key, given those that are stored.
    pub fn posted(&self, key: &str, stored: Usage) -> Usage {
        self.counts().get(key).map_or(stored, |count| {
            let sum = count.sum();
            Usage { messages: sum.messages.max(stored.messages), bytes: sum.bytes.max(stored.bytes) }
        })
    }

    /// Counts what a caller is about to post, or refuses it, and writes it. `used` says of the outcome how much of it
    /// was stored: the rest doesn't count. If nobody waits for the outcome, all of it does.
    pub async fn pay<T>(
        &self,
        caller: &Caller,
        wanted: Usage,
        write: impl Future<Output = T>,
        used: impl FnOnce(&T) -> Usage,
    ) -> Result<T, Problem> {
        // People and their commands may post what they like.
        let Caller::Agent(agent) = caller else { return Ok(write.await) };
        self.take(agent, wanted)?;
        let written = write.await;
        let used = used(&written);
        if let Some(count) = self.counts().get_mut(&agent.id) {
            count.more.messages -= wanted.messages - used.messages;
            count.more.bytes -= wanted.bytes - used.bytes;
        }
        Ok(written)
    }

    /// Refuses what [`Self::pay`] would refuse now, and counts nothing.
    pub fn require(&self, caller: &Caller, wanted: Usage) -> Result<(), Problem> {
        let Caller::Agent(agent) = caller else { return Ok(()) };
        let so_far = self.counts().get(&agent.id).map(Count::sum).unwrap_or_default();
        within(agent, plus(so_far, wanted))
    }

    fn take(&self, agent: &Agent, wanted: Usage) -> Result<(), Problem> {
        let mut counts = self.counts();
        let count = counts.entry(agent.id.clone()).or_default();
        within(agent, plus(count.sum(), wanted))?;
        count.more = plus(count.more, wanted);
        Ok(())
    }

    /// Stores the counts from time to time, and once more at the end.
    pub async fn keep(&self, workspace: &Workspace, shutdown: &CancellationToken) {
        while shutdown.run_until_cancelled(sleep(EVERY)).await.is_some() {
            self.store(workspace).await;
        }
        self.store(workspace).await;
    }

    async fn store(&self, workspace: &Workspace) {
        let some = |count: &Count| count.more != Usage::default();
        let waiting: Vec<(String, Usage)> = self
            .counts()
            .iter()
            .filter(|(_, count)| some(count))
            .map(|(key, count)| (key.clone(), count.more))
            .collect();
        for (key, more) in waiting {
            let sum = match workspace.count_usage(&key, more).await {
                Ok(sum) => sum.unwrap_or_default(),
                Err(error) => {
                    tracing::warn!(%error, "what a key posted could not be counted; tried again soon");
                    return;
                }
            };
            self.learn(&key, sum);
            if let Some(count) = self.counts().get_mut(&key) {
                count.more.messages -= more.messages;
                count.more.bytes -= more.bytes;
            }
        }
    }
}

/// So many messages, with so many bytes.
pub fn usage(messages: usize, bytes: u64) -> Usage {
    Usage { messages: i64::try_from(messages).unwrap_or(i64::MAX), bytes: i64::try_from(bytes).unwrap_or(i64::MAX) }
}

fn plus(a: Usage, b: Usage) -> Usage {
    Usage { messages: a.messages.saturating_add(b.messages), bytes: a.bytes.saturating_add(b.bytes) }
}

/// An error if a key would have posted more than it may.
fn within(agent: &Agent, after: Usage) -> Result<(), Problem> {
    if after.messages > agent.quota.messages {
        return Err(reached(agent, &format!("{} messages", agent.quota.messages)));
    }
    if after.bytes > agent.quota.bytes {
        return Err(reached(agent, &format!("{} bytes", agent.quota.bytes)));
    }
    Ok(())
}

fn reached(agent: &Agent, most: &str) -> Problem {
    let title = format!("The quota of this key is used up: {most}");
    let hint = format!("The owner can raise it in Settings, Agent keys, or by `verbatim key quota {}`", agent.id);
    Problem::new(ProblemCode::QuotaReached, title).hint(hint)
}
