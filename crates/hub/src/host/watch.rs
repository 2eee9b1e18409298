//! Looks for what people are told although nobody asked: agents that were lost, imports that finished, a disk that fills up.

use super::{HostEvent, HostMessage};
use crate::{Hub, clock};
use model::{Micros, SessionState};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PAUSE: Duration = Duration::from_secs(15);
/// A disk with less is nearly full, unless it is that small.
const LOW: u64 = 1 << 30;
const LOW_PART: u64 = 20;

/// Bytes of a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    pub total: u64,
    pub free: u64,
}

impl Disk {
    /// Of the disk that a folder is on; None where the system doesn't say.
    fn of(dir: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            let disk = rustix::fs::statvfs(dir).ok()?;
            let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
            Some(Self { total: bytes(disk.f_blocks), free: bytes(disk.f_bavail) })
        }
        #[cfg(not(unix))]
        {
            let _ = dir;
            None
        }
    }

    fn is_low(self) -> bool {
        self.free < LOW.min(self.total / LOW_PART)
    }
}

/// What was told already.
#[derive(Debug, Default)]
pub struct Watch {
    lost: HashSet<String>,
    import: u64,
    disk_is_low: bool,
}

impl Watch {
    /// Takes a look, and tells what is new.
    pub async fn look(&mut self, hub: &Hub, now: Micros, disk: Option<Disk>) {
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
        for job in hub.jobs.list() {
            if job.done && job.id > self.import {
                self.import = job.id;
                let event =
                    HostEvent::ImportFinished { files: job.files, sessions: job.sessions, messages: job.messages };
                hub.tell_all(&HostMessage::new(&event)).await;
            }
        }
        let was_low = self.disk_is_low;
        self.disk_is_low = disk.is_some_and(Disk::is_low);
        if let Some(disk) = disk.filter(|_| self.disk_is_low && !was_low) {
            // Where nobody is told otherwise, it is worth a session.
            if let Err(problem) = hub.make_operations().await {
                tracing::warn!(%problem, "there is no session for operations");
            }
            hub.tell_all(&HostMessage::new(&HostEvent::DiskNearlyFull { free_mib: disk.free >> 20 })).await;
        }
    }
}

/// Looks for as long as the hub lives.
pub async fn watch(hub: Hub, dir: PathBuf) {
    let mut watch = Watch::default();
    while hub.shutdown.run_until_cancelled(tokio::time::sleep(PAUSE)).await.is_some() {
        watch.look(&hub, clock::now(), Disk::of(&dir)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::Disk;

    #[test]
    fn a_disk_is_nearly_full_below_a_gigabyte_or_a_twentieth() {
        let is_low = |total: u64, free: u64| Disk { total, free }.is_low();
        let gib = 1 << 30;
        assert!(is_low(500 * gib, gib - 1));
        assert!(!is_low(500 * gib, gib));
        assert!(is_low(10 * gib, gib / 4));
        assert!(!is_low(10 * gib, gib / 2));
    }
}
