//! Files become sources, sessions and messages.
//!
//! - [`transcript`]: one file, read step by step; each step is what one transaction writes.
//! - `order`: which file comes first.
//! - `stored`: which files needn't be read, since they are as they were when they were read.
//! - [`batch`]: a reader's changes as that transaction.
//! - [`jobs`]: what runs, and how far it has got. [`claims`]: one reader per file.
//!
//! A job is a line of three: one thread reads, one prepares what was read, and a task writes what is prepared. Parsing,
//! packing and waiting for the disk overlap.

pub mod batch;
pub mod claims;
pub mod jobs;
mod order;
mod stored;
pub mod transcript;

pub use jobs::Jobs;

use crate::Hub;
use agents::SessionKey;
use api::imports::FailedFile;
use claims::Claim;
use std::path::{Path, PathBuf};
use store::{PreparedBatch, StoreError};
use stored::Stored;
use tokio::sync::mpsc;
use transcript::{Ending, Step, Transcript};

/// Steps that may wait between two of the three.
const AHEAD: usize = 1;

/// What the reading thread tells: first of steps as they were read, then of prepared ones.
enum Progress<S> {
    Step(Box<S>),
    /// The claim ends when all steps of the file are written.
    FileDone(Option<Claim>),
    Failed(FailedFile),
}

/// A step that only needs to be written.
struct Ready {
    /// None where nothing changed.
    batch: Option<Result<PreparedBatch, StoreError>>,
    bytes: u64,
    notes: u64,
    sessions: Vec<SessionKey>,
}

/// Why files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// A person named them, as they are.
    Named,
    /// They lie in a folder that is followed: what comes later is read later.
    Followed,
}

/// Starts a job and returns its id. The job goes on in the background and ends early at shutdown.
pub fn start(hub: &Hub, files: Vec<PathBuf>, why: Why) -> u64 {
    let bytes = files.iter().filter_map(|f| f.metadata().ok()).map(|m| m.len()).sum();
    let id = hub.jobs.begin(files.len() as u64, bytes);
    let hub = hub.clone();
    tokio::spawn(async move {
        if let Err(error) = run(&hub, id, files, why).await {
            let reason = crate::problem(error).to_string();
            hub.jobs.update(id, |job| job.failed.push(FailedFile { path: String::new(), reason }));
        }
        hub.jobs.end(id);
    });
    id
}

async fn run(hub: &Hub, id: u64, files: Vec<PathBuf>, why: Why) -> Result<(), StoreError> {
    let stored = Stored::load(hub).await?;
    let (send, steps) = mpsc::channel(AHEAD);
    let (prepared, mut receive) = mpsc::channel(AHEAD);
    let preparing = tokio::task::spawn_blocking(move || prepare_all(steps, &prepared));
    let reading = tokio::task::spawn_blocking({
        let hub = hub.clone();
        let runtime = tokio::runtime::Handle::current();
        move || {
            let (known, new) = files.into_iter().partition(|path| stored.unchanged(path).is_some());
            for path in Vec::into_iter(known).chain(order::oldest_first(new)) {
                let read = match stored.unchanged(&path) {
                    Some(step) => send.blocking_send(Progress::Step(Box::new(step))).map(|()| None).map_err(stopped),
                    None => read_whole(&hub, &runtime, &path, why, &send),
                };
                let failed = |e: std::io::Error| FailedFile { path: path.display().to_string(), reason: e.to_string() };
                let progress = read.map_or_else(|e| Progress::Failed(failed(e)), Progress::FileDone);
                if hub.shutdown.is_cancelled() || send.blocking_send(progress).is_err() {
                    return;
                }
            }
        }
    });
    let mut sessions = std::collections::HashSet::new();
    while let Some(progress) = receive.recv().await {
        match progress {
            Progress::Step(step) => {
                sessions.extend(step.sessions);
                let count = sessions.len() as u64;
                let written = match step.batch {
                    Some(batch) => Some(hub.workspace.write_prepared(batch?).await?),
                    None => None,
                };
                if let Some(written) = &written {
                    hub.feed.ring(written.pos);
                }
                hub.jobs.update(id, |job| {
                    job.bytes_done += step.bytes;
                    job.notes += step.notes;
                    job.sessions = count;
                    job.messages += written.map_or(0, |w| w.messages_added);
                });
            }
            Progress::FileDone(claim) => {
                drop(claim);
                hub.jobs.update(id, |job| job.files_done += 1);
            }
            Progress::Failed(failed) => {
                tracing::warn!(path = %failed.path, reason = %failed.reason, "a file can't be read");
                hub.jobs.update(id, |job| {
                    job.files_done += 1;
                    job.failed.push(failed);
                });
            }
        }
    }
    if let (Err(error), _) | (_, Err(error)) = (reading.await, preparing.await) {
        tracing::error!(%error, "a thread of the import ended early");
    }
    Ok(())
}

fn prepare_all(mut steps: mpsc::Receiver<Progress<Step>>, prepared: &mpsc::Sender<Progress<Ready>>) {
    while let Some(progress) = steps.blocking_recv() {
        let progress = match progress {
            Progress::Step(step) => Progress::Step(Box::new(prepare(*step))),
            Progress::FileDone(claim) => Progress::FileDone(claim),
            Progress::Failed(failed) => Progress::Failed(failed),
        };
        if prepared.blocking_send(progress).is_err() {
            return;
        }
    }
}

fn prepare(step: Step) -> Ready {
    let batch = (!step.is_empty()).then(|| PreparedBatch::new(step.batch));
    Ready { batch, bytes: step.bytes, notes: step.notes, sessions: step.sessions }
}

/// Reads a file to its end, unless somebody is reading it already.
fn read_whole(
    hub: &Hub,
    runtime: &tokio::runtime::Handle,
    path: &Path,
    why: Why,
    send: &mpsc::Sender<Progress<Step>>,
) -> std::io::Result<Option<Claim>> {
    let Some(claim) = hub.claims.claim(path) else { return Ok(None) };
    let known = runtime.block_on(hub.workspace.source_by_path(&path.to_string_lossy()));
    let known = known.map_err(|e| std::io::Error::other(crate::problem(e).to_string()))?;
    let mut each = |step: Step| send.blocking_send(Progress::Step(Box::new(step))).map_err(stopped);
    let ending = match why {
        Why::Named => Ending::Final,
        Why::Followed => Ending::of(path),
    };
    Transcript::open(path, known.as_ref(), &mut each)?.read_on(ending, &mut each)?;
    Ok(Some(claim))
}

fn stopped(_: mpsc::error::SendError<Progress<Step>>) -> std::io::Error {
    std::io::Error::other("the import was stopped")
}

/// Writes one step, and rings the doorbell.
pub async fn write(hub: &Hub, step: Step) -> Result<store::Written, StoreError> {
    let written = hub.workspace.write_batch(step.batch).await?;
    hub.feed.ring(written.pos);
    Ok(written)
}
