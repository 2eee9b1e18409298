//! Import jobs and their progress.

use crate::context::TopicState;
use api::imports::ImportJob;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Jobs that are remembered after their end.
const REMEMBERED: usize = 20;

pub struct Jobs {
    jobs: Mutex<Vec<ImportJob>>,
    changed: watch::Sender<u64>,
}

impl TopicState for Jobs {}

impl Default for Jobs {
    fn default() -> Self {
        Self { jobs: Mutex::default(), changed: watch::Sender::new(0) }
    }
}

impl Jobs {
    pub fn begin(&self, files: u64, bytes: u64) -> u64 {
        let mut jobs = self.lock();
        let id = jobs.last().map_or(1, |job| job.id + 1);
        jobs.push(ImportJob { id, files, bytes, ..ImportJob::default() });
        while jobs.len() > REMEMBERED && jobs.first().is_some_and(|job| job.done) {
            jobs.remove(0);
        }
        drop(jobs);
        self.notify();
        id
    }

    pub fn update(&self, id: u64, change: impl FnOnce(&mut ImportJob)) {
        if let Some(job) = self.lock().iter_mut().find(|job| job.id == id) {
            change(job);
        }
        self.notify();
    }

    pub fn end(&self, id: u64) {
        self.update(id, |job| job.done = true);
    }

    pub fn get(&self, id: u64) -> Option<ImportJob> {
        self.lock().iter().find(|job| job.id == id).cloned()
    }

    /// Newest last.
    pub fn list(&self) -> Vec<ImportJob> {
        self.lock().clone()
    }

    /// Wakes at each change.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn notify(&self) {
        self.changed.send_modify(|n| *n = n.wrapping_add(1));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<ImportJob>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
