//! Files become sources, sessions and messages.
//!
//! - [`transcript`]: one file, read step by step; each step is what one transaction writes.
//! - `order`: which file comes first. `packed`: a file that its agent packed. [`database`]: a file that holds many
//!   sessions, and isn't a transcript itself. `folder`: many files that are one conversation.
//! - [`archive`]: sessions that Verbatim wrote itself.
//! - `stored`: which files needn't be read, since they are as they were when they were read.
//! - [`batch`]: a reader's changes as that transaction.
//! - [`jobs`]: what runs, and how far it has got. [`claims`]: one reader per file.
//!
//! A job is a line of three: one thread reads, one prepares what was read, and a task writes what is prepared. Parsing,
//! packing and waiting for the disk overlap.

pub mod archive;
pub mod batch;
pub mod claims;
pub mod database;
pub mod discover;
pub mod endpoints;
pub mod export;
mod folder;
pub mod follow;
pub mod jobs;
pub mod name;
pub mod open;
pub mod order;
pub(crate) mod packed;
pub mod projects;
mod stored;
pub mod transcript;

pub(crate) use endpoints::*;
pub(crate) use projects::{forget_project, list_projects, set_projects};

pub use jobs::Jobs;

use crate::basics::problem;
use crate::context::Hub;
use crate::context::metrics::milliseconds;
use crate::context::retry::retry_transient;
use crate::imports::claims::Claims;
use crate::imports::discover::agreed::{Agreed, Allowed};
use crate::imports::name::name;
use agents::{Agent, Recognised, SessionKey};
use api::imports::{FailedFile, ImportJob};
use claims::Claim;
use serde::de::IgnoredAny;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::{Masks, PreparedBatch, StoreError, Written};
use stored::Stored;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tracing::Instrument as _;
use transcript::{Ending, Step, Transcript};

/// Steps that may wait between two of the three.
pub(crate) const AHEAD: usize = 1;

/// Reports of the reading thread: first steps that were read, then prepared ones.
enum Progress<S> {
    Step(Arc<Reading>, Box<S>),
    FileDone(Arc<Reading>),
    Failed(Arc<Reading>, String),
}

/// A file on its way through the three. The last one that holds it ends its claim.
struct Reading {
    path: PathBuf,
    _claim: Option<Claim>,
    /// Nothing more of it is to be written.
    over: AtomicBool,
}

impl Reading {
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// A step that only needs to be written.
struct Ready {
    /// None where nothing changed.
    batch: Option<Result<PreparedBatch, StoreError>>,
    bytes: u64,
    notes: u64,
    sessions: Vec<SessionKey>,
    restored: u64,
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
    let id = hub.state::<Jobs>().begin(files.len() as u64, bytes);
    let hub = hub.clone();
    let span = tracing::error_span!("import", job = id);
    let import = async move {
        let began = Instant::now();
        if let Err(error) = run(&hub, id, files, why).await {
            let reason = problem(error).to_string();
            hub.metrics.count_failed_file();
            hub.state::<Jobs>().update(id, |job| job.failed.push(FailedFile { path: String::new(), reason }));
        }
        if let Some(job) = hub.state::<Jobs>().get(id) {
            log_end(&job, began.elapsed());
        }
        if let Err(error) = hub.store.rest().await {
            tracing::debug!(%error, "memory of the import stays in use");
        }
        hub.state::<Jobs>().end(id);
    };
    tokio::spawn(import.instrument(span));
    id
}

async fn run(hub: &Hub, id: u64, files: Vec<PathBuf>, why: Why) -> Result<(), StoreError> {
    let stored = retry_transient(hub, || Stored::load(hub)).await?;
    let masks = retry_transient(hub, || hub.workspace.masks()).await?;
    let (send, steps) = mpsc::channel(AHEAD);
    let (prepared, mut receive) = mpsc::channel(AHEAD);
    let preparing = tokio::task::spawn_blocking(move || prepare_all(steps, &masks, &prepared));
    let reading = tokio::task::spawn_blocking({
        let hub = hub.clone();
        let runtime = tokio::runtime::Handle::current();
        move || read_all(&hub, &runtime, files, &stored, why, &send)
    });
    let mut sessions = HashSet::new();
    while let Some(progress) = receive.recv().await {
        match progress {
            Progress::Step(file, _) if file.is_over() => {}
            Progress::Step(file, step) => match write_ready(hub, step.batch).await {
                Ok(written) => {
                    sessions.extend(step.sessions);
                    let count = sessions.len() as u64;
                    hub.metrics.count_read(step.bytes);
                    hub.state::<Jobs>().update(id, |job| {
                        job.bytes_done += step.bytes;
                        job.notes += step.notes;
                        job.sessions = count;
                        job.messages += written.messages_added + step.restored;
                    });
                }
                // Its owner took back the word meanwhile.
                Err(StoreError::NotFollowed(_)) => file.over.store(true, Ordering::Relaxed),
                Err(error) => fail(hub, id, &file, problem(error).to_string(), why),
            },
            Progress::FileDone(_) => count_file(hub, id),
            Progress::Failed(file, reason) => {
                if !file.is_over() {
                    fail(hub, id, &file, reason, why);
                }
                count_file(hub, id);
            }
        }
    }
    // The error would quote what the panic said, which the hook leaves out of the log.
    if let (Err(_), _) | (_, Err(_)) = (reading.await, preparing.await) {
        tracing::error!("a thread of the import ended early");
    }
    Ok(())
}

/// Reads the files one after the other, those that are stored as they are first.
fn read_all(
    hub: &Hub,
    runtime: &tokio::runtime::Handle,
    mut files: Vec<PathBuf>,
    stored: &Stored,
    why: Why,
    send: &mpsc::Sender<Progress<Step>>,
) {
    // Where agents keep their files, no conversation is a folder.
    let conversations = if why == Why::Named { folder::take(&mut files) } else { Vec::new() };
    let (known, new) = files.into_iter().partition(|path| stored.unchanged(path).is_some());
    for path in Vec::into_iter(known).chain(order::oldest_first(new)) {
        let unchanged = stored.unchanged(&path);
        // Somebody who is reading it already reads it to its end.
        let claim = if unchanged.is_none() { hub.state::<Claims>().claim(&path) } else { None };
        let claimed = claim.is_some();
        let file = Arc::new(Reading { path, _claim: claim, over: AtomicBool::new(false) });
        let read = match unchanged {
            Some(step) => pass_on(send, &file, step),
            None if claimed => read_whole(hub, runtime, &file, why, send),
            None => Ok(()),
        };
        let progress = match read {
            Ok(()) => Progress::FileDone(file),
            Err(error) => Progress::Failed(file, error.to_string()),
        };
        if hub.shutdown.is_cancelled() || send.blocking_send(progress).is_err() {
            return;
        }
    }
    for conversation in conversations {
        if read_conversation(hub, runtime, &conversation, send).is_none() {
            return;
        }
    }
}

/// Reads a conversation, and counts each of its files. None where nothing more is to be read.
fn read_conversation(
    hub: &Hub,
    runtime: &tokio::runtime::Handle,
    conversation: &folder::Conversation,
    send: &mpsc::Sender<Progress<Step>>,
) -> Option<()> {
    let claim = hub.state::<Claims>().claim(&conversation.folder);
    let claimed = claim.is_some();
    let file = Arc::new(Reading { path: conversation.folder.clone(), _claim: claim, over: AtomicBool::new(false) });
    let read = if claimed { conversation.read(hub, runtime, &mut |step| pass_on(send, &file, step)) } else { Ok(()) };
    for _ in 1..conversation.files.len() {
        send.blocking_send(Progress::FileDone(Arc::clone(&file))).ok()?;
    }
    let progress = match read {
        Ok(()) => Progress::FileDone(file),
        Err(error) => Progress::Failed(file, error.to_string()),
    };
    send.blocking_send(progress).ok().filter(|()| !hub.shutdown.is_cancelled())
}

fn count_file(hub: &Hub, id: u64) {
    hub.metrics.count_file();
    hub.state::<Jobs>().update(id, |job| job.files_done += 1);
}

fn log_end(job: &ImportJob, took: Duration) {
    let ImportJob { files_done: files, bytes_done: bytes, sessions, messages, notes, .. } = *job;
    let failed = job.failed.len();
    tracing::info!(files, bytes, sessions, messages, notes, failed, duration_ms = milliseconds(took), "imported");
}

/// The file fails, and the others go on. Who named it reads the reason in the job.
fn fail(hub: &Hub, id: u64, file: &Reading, reason: String, why: Why) {
    file.over.store(true, Ordering::Relaxed);
    if hub.shutdown.is_cancelled() {
        return;
    }
    let path = name(&file.path);
    match why {
        Why::Named => tracing::debug!(path, reason, "a file can't be imported"),
        Why::Followed => tracing::warn!(path, reason, "a file can't be imported"),
    }
    hub.metrics.count_failed_file();
    hub.state::<Jobs>().update(id, |job| job.failed.push(FailedFile { path, reason }));
}

async fn write_ready(hub: &Hub, batch: Option<Result<PreparedBatch, StoreError>>) -> Result<Written, StoreError> {
    let Some(batch) = batch.transpose()? else { return Ok(Written::default()) };
    let written = retry_transient(hub, || hub.workspace.write_prepared(batch.clone())).await?;
    hub.feed.ring_with(written.pos, written.has_deliveries);
    Ok(written)
}

fn prepare_all(mut steps: mpsc::Receiver<Progress<Step>>, masks: &Masks, prepared: &mpsc::Sender<Progress<Ready>>) {
    while let Some(progress) = steps.blocking_recv() {
        let progress = match progress {
            Progress::Step(file, step) => Progress::Step(file, Box::new(prepare(*step, masks))),
            Progress::FileDone(file) => Progress::FileDone(file),
            Progress::Failed(file, reason) => Progress::Failed(file, reason),
        };
        if prepared.blocking_send(progress).is_err() {
            return;
        }
    }
}

fn prepare(step: Step, masks: &Masks) -> Ready {
    let batch = (!step.is_empty()).then(|| PreparedBatch::new(step.batch, masks));
    Ready { batch, bytes: step.bytes, notes: step.notes, sessions: step.sessions, restored: step.restored }
}

/// Reads a file to its end, unless it may not be read any more.
fn read_whole(
    hub: &Hub,
    runtime: &tokio::runtime::Handle,
    file: &Arc<Reading>,
    why: Why,
    send: &mpsc::Sender<Progress<Step>>,
) -> std::io::Result<()> {
    let path = &file.path;
    let (opened, ending, allowed) = match why {
        // A path that a person named was resolved before, and links in it are no longer followed.
        Why::Named => (open::exact(path.clone())?, Ending::Final, Allowed::default()),
        Why::Followed => {
            let opened = open::regular(path)?;
            let agreed = runtime.block_on(retry_transient(hub, || Agreed::load(hub))).map_err(failed)?;
            let Some(allowed) = agreed.reading(path, &opened.real) else { return Ok(()) };
            let ending = Ending::of(&opened.file);
            (opened, ending, allowed)
        }
    };
    if archive::is_archive(&opened.file)? {
        return match why {
            Why::Named => pass_on(send, file, archive::read(hub, runtime, &opened.file)?),
            // Files in an agent's folder belong to that agent.
            Why::Followed => Ok(()),
        };
    }
    if database::is_database(&opened.file)? {
        let mut each = |step: Step| pass_on(send, file, step.depending_on(&allowed));
        return database::read(hub, runtime, path, &opened.real, &mut each);
    }
    if why == Why::Followed && packed::is_spare(path) {
        return Ok(());
    }
    let (opened, mut packed) = packed::unpack(hub, runtime, path, opened)?;
    let agent = match recognise(&opened.file, path, ending)? {
        Ok(agent) => agent,
        Err(reason) if why == Why::Named => return Err(std::io::Error::other(reason)),
        // Nobody asked for it. It may also be empty as yet.
        Err(_) => return Ok(()),
    };
    let path = packed::stored_path(path);
    let name = name(&path);
    let known = || hub.workspace.source_by_path(&name);
    let known = runtime.block_on(retry_transient(hub, known)).map_err(failed)?;
    let is_known = known.is_some();
    if !is_known && is_read_elsewhere(hub, runtime, agent, &path)? {
        return Ok(());
    }
    let mut pass = |step: Step| pass_on(send, file, step.depending_on(&allowed));
    let mut each = |step| packed::pass(&mut packed, is_known, step, &mut pass);
    let stop = hub.shutdown.clone();
    Transcript::open(&path, opened, agent, known.as_ref(), stop, &mut each)?.read_on(ending, &mut each)
}

/// Whether a session of which Cursor keeps a database and a transcript was read from the other one: both have its id,
/// and messages of their own. Its file is named after it. A file of any other agent is read.
pub(crate) fn is_read_elsewhere(
    hub: &Hub,
    runtime: &tokio::runtime::Handle,
    agent: &Agent,
    path: &Path,
) -> std::io::Result<bool> {
    let stem = path.file_stem().map(|stem| name(Path::new(stem))).filter(|_| agent.name == "cursor");
    let Some(key) = stem else { return Ok(false) };
    let sources = || hub.workspace.paths_of_key(agent.name, &key);
    let paths = runtime.block_on(retry_transient(hub, sources));
    let paths = paths.map_err(failed)?;
    Ok(!paths.is_empty() && !paths.contains(&name(path)))
}

/// An error of the store, as the reason why a file isn't read.
fn failed(error: StoreError) -> std::io::Error {
    std::io::Error::other(problem(error).to_string())
}

/// Bytes at the beginning, and at the end, by which it is known whose a file is, unless the first line alone is longer.
const BEGINNING: u64 = 256 << 10;
/// The most of a first line: a document of one line may have hundreds of megabytes, and is known by its first fields.
const FIRST_LINE: u64 = 4 << 20;

/// Whose a file is, by its content, and by its path where that fits several; or why it isn't read. Of a file that may
/// be growing, whole lines count: the beginning of a line may look like another agent's.
pub(crate) fn recognise(
    mut file: &File,
    path: &Path,
    ending: Ending,
) -> std::io::Result<Result<&'static Agent, String>> {
    file.rewind()?;
    let mut reader = BufReader::new(file);
    let (mut beginning, mut end) = (Vec::new(), Vec::new());
    reader.by_ref().take(BEGINNING).read_to_end(&mut beginning)?;
    if !beginning.contains(&b'\n') {
        reader.take(FIRST_LINE).read_until(b'\n', &mut beginning)?;
    }
    let (read, size) = (beginning.len() as u64, file.metadata()?.len());
    if size > read {
        file.seek(SeekFrom::Start(read.max(size.saturating_sub(BEGINNING))))?;
        file.take(BEGINNING).read_to_end(&mut end)?;
    }
    if ending == Ending::Growing && size <= read {
        let lines = beginning.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if serde_json::from_slice::<IgnoredAny>(&beginning[lines..]).is_err() {
            beginning.truncate(lines);
        }
    }
    let found = match agents::keeper(&name(path)) {
        Some(keeper) => agents::recognise_kept(keeper, &beginning, &end),
        None => agents::recognise(&beginning, &end),
    };
    Ok(match (found, found.refusal()) {
        (Recognised::Agent(agent), None) => Ok(agent),
        (_, reason) => Err(reason.unwrap_or_default()),
    })
}

fn pass_on(send: &mpsc::Sender<Progress<Step>>, file: &Arc<Reading>, step: Step) -> std::io::Result<()> {
    let stopped = || std::io::Error::other("the import was stopped");
    if file.is_over() {
        return Err(stopped());
    }
    send.blocking_send(Progress::Step(Arc::clone(file), Box::new(step))).map_err(|_| stopped())
}

/// Writes one step, and rings the doorbell.
pub async fn write(hub: &Hub, step: Step) -> Result<Written, StoreError> {
    let written = hub.workspace.write_batch(step.batch).await?;
    hub.metrics.count_read(step.bytes);
    hub.feed.ring_with(written.pos, written.has_deliveries);
    Ok(written)
}
