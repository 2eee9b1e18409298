//! Files that grow: what the agent writes is on the page within milliseconds.
//!
//! The system tells which files changed; now and then all are looked at, in case it didn't. A file that is being
//! written keeps its reader, so that only its new lines are read. Each is read in a task of its own: one that takes
//! long, as on a file system that doesn't answer, goes on by itself, and the others are read meanwhile.

use crate::context::{Hub, Root, TopicState};
use crate::imports;
use crate::imports::claims::{Claim, Claims};
use crate::imports::discover::agreed::Agreed;
use crate::imports::discover::look;
use crate::imports::name::name;
use crate::imports::transcript::{Ending, Step, Transcript, modified_at};
use crate::imports::{Jobs, database, discover, open, packed};
use model::Micros;
use model::source::Source;
use notify::{RecursiveMode, Watcher as _};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;
use store::StoreError;
use tokio::sync::{Notify, mpsc};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

/// Readers that are kept. More agents than these at once cost a second reading of their files, no more.
const KEPT: usize = 64;
/// Bytes of unfinished lines that these may hold.
const HELD: usize = 128 << 20;
/// How often all files are looked at.
const SWEEP: Duration = Duration::from_secs(15);
/// How often it is looked whether a root that was missing came into being.
const MISSING: Duration = Duration::from_secs(2);
/// When all files are looked at after a new folder came.
const SETTLED: Duration = Duration::from_secs(1);
/// Paths that may wait. When it is full the next sweep finds what was dropped.
const QUEUE: usize = 4096;
/// How long the others wait for one file.
const PATIENCE: Duration = Duration::from_secs(2);
/// Files that may take longer at a time. What changes beyond is found by a sweep.
const SLOW: usize = 32;
/// How long following waits for an import that doesn't get on.
const STALLED: Duration = Duration::from_secs(10);
/// Files that needn't be read until they change which are remembered.
const SETTLED_FILES: usize = 10_000;

/// Signals to and from the follower.
#[derive(Default)]
pub struct FollowSignals {
    /// Asks for a look at all followed files, as when another folder is to be read.
    pub look_again: Notify,
    /// Folders that the system can't watch for us: what changes below is found by looking.
    pub polled: RwLock<Vec<PathBuf>>,
}

impl TopicState for FollowSignals {}

#[derive(Debug, thiserror::Error)]
enum FollowError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Outcome of reading a file.
enum Outcome {
    Read(Box<Transcript>),
    /// There is nothing to read of it until it changes: it is no transcript, or all of it was read.
    Settled,
    /// It may not be read, or not now.
    Passed,
}

/// By what it is seen that a file changed.
type Stamp = (u64, Option<Micros>);

struct Follower {
    hub: Hub,
    watcher: Option<notify::RecommendedWatcher>,
    /// Roots that aren't watched yet: they may come into being later.
    unwatched: Vec<(PathBuf, RecursiveMode)>,
    /// Linked folders that are watched, each with the place that it leads to.
    links: Vec<(PathBuf, PathBuf)>,
    open: HashMap<PathBuf, Transcript>,
    settled: HashMap<PathBuf, Stamp>,
    slow: JoinSet<()>,
    sweeping: Option<JoinHandle<Vec<PathBuf>>>,
}

/// Returns a watcher that sends the paths that change, as long as there is room for them. None if the system has none.
pub fn watcher(changed: mpsc::Sender<PathBuf>) -> Option<notify::RecommendedWatcher> {
    let handler = move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event
            && !event.kind.is_access()
        {
            for path in event.paths {
                let _ = changed.try_send(path);
            }
        }
    };
    // A link may lead to the whole disk: where one is followed, its place is watched.
    let config = notify::Config::default().with_follow_symlinks(false);
    notify::RecommendedWatcher::new(handler, config)
        .inspect_err(|error| tracing::warn!(%error, "files can't be watched: they are looked at every 15 s"))
        .ok()
}

/// Imports what is there, then follows all roots until the hub shuts down.
pub async fn follow(hub: Hub) {
    let shutdown = hub.shutdown.clone();
    let (send, changed) = mpsc::channel::<PathBuf>(QUEUE);
    let follower = Follower {
        watcher: watcher(send),
        unwatched: hub.settings.roots.iter().map(watched).collect(),
        links: Vec::new(),
        open: HashMap::new(),
        settled: HashMap::new(),
        slow: JoinSet::new(),
        sweeping: None,
        hub,
    };
    shutdown.run_until_cancelled(Box::pin(follower.run(changed))).await;
}

impl Follower {
    async fn run(mut self, mut changed: mpsc::Receiver<PathBuf>) {
        let hub = self.hub.clone();
        let mut sweep = tokio::time::interval(SWEEP);
        let mut missing = tokio::time::interval(MISSING);
        sweep.tick().await;
        self.watch().await;
        import_all(&hub).await;
        loop {
            tokio::select! {
                Some(path) = changed.recv() => {
                    let mut paths = self.paths(path);
                    while let Ok(path) = changed.try_recv() {
                        for path in self.paths(path) {
                            if !paths.contains(&path) {
                                paths.push(path);
                            }
                        }
                    }
                    for path in paths {
                        if self.look_at(path).await {
                            sweep.reset_after(SETTLED);
                        }
                    }
                }
                missed = hub.state::<Claims>().missed() => self.read_all(missed).await,
                () = hub.state::<FollowSignals>().look_again.notified() => sweep.reset_immediately(),
                _ = missing.tick(), if self.sweeping.is_none() => if self.has_new_root() {
                    sweep.reset_immediately();
                },
                _ = sweep.tick(), if self.sweeping.is_none() => {
                    self.watch().await;
                    self.sweeping = Some(tokio::spawn(grown(hub.clone())));
                }
                found = found_by(&mut self.sweeping) => {
                    self.sweeping = None;
                    self.read_all(found).await;
                }
                Some(_) = self.slow.join_next() => {}
            }
        }
    }

    async fn watch(&mut self) {
        let links = timeout(PATIENCE, discover::followed_links(&self.hub)).await;
        let links = links.ok().and_then(Result::ok).unwrap_or_default();
        let watcher = &mut self.watcher;
        let mut fails = |path: &Path, mode| watcher.as_mut().is_none_or(|watcher| watcher.watch(path, mode).is_err());
        let mut polled: Vec<PathBuf> = Vec::new();
        self.unwatched.retain(|(root, mode)| {
            let is_there = root.is_dir();
            let failed = is_there && fails(root, *mode);
            polled.extend(failed.then(|| root.clone()));
            failed || !is_there
        });
        for link in links {
            if self.links.contains(&link) {
                continue;
            }
            if fails(&link.1, RecursiveMode::Recursive) {
                polled.push(link.0.clone());
            }
            self.links.push(link);
        }
        self.poll(polled);
    }

    /// Whether a root is there that is neither watched nor known to be one that can't be.
    fn has_new_root(&self) -> bool {
        let polled = self.hub.state::<FollowSignals>().polled.read().unwrap_or_else(PoisonError::into_inner);
        self.unwatched.iter().any(|(root, _)| !polled.contains(root) && root.is_dir())
    }

    /// Remembers which folders are looked at, since they can't be watched. A link is tried once only.
    fn poll(&self, polled: Vec<PathBuf>) {
        let mut known = self.hub.state::<FollowSignals>().polled.write().unwrap_or_else(PoisonError::into_inner);
        let is_link = |path: &PathBuf| self.links.iter().any(|(link, _)| link == path);
        known.retain(is_link);
        for path in polled {
            tracing::debug!(path = %path.display(), "a folder can't be watched: it is looked at every 15 s");
            known.push(path);
        }
    }

    /// The paths by which a file that changed is known.
    fn paths(&self, path: PathBuf) -> Vec<PathBuf> {
        let path = database::written_to(path);
        let linked = self.links.iter().filter_map(|(link, place)| Some(link.join(path.strip_prefix(place).ok()?)));
        let mut paths: Vec<PathBuf> = linked.collect();
        paths.push(path);
        paths
    }

    /// Reads what changed. Returns whether all files are to be looked at soon: what a new folder got before it was
    /// watched is told by nobody, so it is looked for now, and once more when the watch is surely there.
    async fn look_at(&mut self, path: PathBuf) -> bool {
        if !path.is_dir() {
            self.read(path).await;
            return false;
        }
        if !path.is_symlink() {
            let Some(root) = self.hub.settings.roots.iter().find(|root| path.starts_with(&root.path)) else {
                return true;
            };
            let (endings, depth) = (root.folder.endings, root.folder.depth() - 1);
            let below = tokio::task::spawn_blocking(move || look::look(&path, endings, depth).files);
            self.read_all(below.await.unwrap_or_default()).await;
        }
        true
    }

    async fn read_all(&mut self, paths: Vec<PathBuf>) {
        for path in paths {
            self.read(path).await;
        }
    }

    async fn read(&mut self, path: PathBuf) {
        let hub = &self.hub;
        if !hub.settings.roots.iter().any(|root| root.holds(&path)) {
            return;
        }
        // It is read at the next sweep after there is room.
        if hub.require_room().is_err() || self.slow.len() >= SLOW {
            return;
        }
        let seen = stamp(&path);
        if seen.is_some() && self.settled.get(&path).copied() == seen {
            return;
        }
        // An import may have read its end already: it is looked at again when that is done.
        let Some(claim) = hub.state::<Claims>().claim_changed(&path) else { return };
        let mut reading = tokio::spawn(read_file(hub.clone(), self.open.remove(&path), path.clone(), claim));
        match timeout(PATIENCE, &mut reading).await {
            Ok(Ok(Outcome::Read(transcript))) => {
                let held: usize = self.open.values().map(Transcript::held_bytes).sum();
                if self.open.len() >= KEPT || held > HELD {
                    self.open.clear();
                }
                self.open.insert(path, *transcript);
            }
            Ok(Ok(Outcome::Settled)) => {
                if self.settled.len() >= SETTLED_FILES {
                    self.settled.clear();
                }
                self.settled.extend(seen.map(|seen| (path, seen)));
            }
            Ok(Ok(Outcome::Passed) | Err(_)) => {}
            Err(_) => {
                tracing::debug!(path = %path.display(), "a file takes long, and is read beside the others");
                self.slow.spawn(async move {
                    let _ = reading.await;
                });
            }
        }
    }
}

/// A root, and whether the folders in it count.
fn watched(root: &Root) -> (PathBuf, RecursiveMode) {
    let mode = if root.folder.shallow { RecursiveMode::NonRecursive } else { RecursiveMode::Recursive };
    (root.path.clone(), mode)
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = path.metadata().ok()?;
    let ahead = database::ahead_of(path).and_then(|ahead| ahead.metadata().ok());
    let size = metadata.len() + ahead.as_ref().map_or(0, std::fs::Metadata::len);
    Some((size, modified_at(&metadata).max(ahead.as_ref().and_then(modified_at))))
}

/// Waits for the files that a sweep finds, if there is one.
async fn found_by(sweeping: &mut Option<JoinHandle<Vec<PathBuf>>>) -> Vec<PathBuf> {
    match sweeping {
        Some(sweeping) => sweeping.await.unwrap_or_default(),
        None => std::future::pending().await,
    }
}

/// Waits for the import of all files, as long as it gets on.
async fn import_all(hub: &Hub) {
    let files = timeout(STALLED, discover::allowed(hub, None)).await;
    let files = files.ok().and_then(Result::ok).unwrap_or_default();
    if files.is_empty() {
        return;
    }
    let mut changes = hub.state::<Jobs>().subscribe();
    let id = imports::start(hub, files, imports::Why::Followed);
    while hub.state::<Jobs>().get(id).is_some_and(|job| !job.done) {
        if !matches!(timeout(STALLED, changes.changed()).await, Ok(Ok(()))) {
            return;
        }
    }
}

/// Files whose size or time of change isn't what is stored, or whose end was held back and has stayed as it is since.
async fn grown(hub: Hub) -> Vec<PathBuf> {
    let Ok(sources) = hub.workspace.sources().await else { return Vec::new() };
    let stored: HashMap<String, Source> = sources.into_iter().map(|s| (s.path.clone(), s)).collect();
    let Ok(mut files) = discover::allowed(&hub, None).await else { return Vec::new() };
    let changed = move || {
        files.retain(|file| {
            let Some((size, modified_at)) = stamp(file) else { return false };
            let source = stored.get(&name(&packed::stored_path(file)));
            source.is_none_or(|source| {
                let touched = match source.modified_at {
                    Some(_) => source.modified_at != modified_at,
                    None => modified_at.is_some_and(|at| Ending::at(at) == Ending::Final),
                };
                !packed::is_read(file, source, size, modified_at) && (touched || source.size != size)
            })
        });
        files
    };
    tokio::task::spawn_blocking(changed).await.unwrap_or_default()
}

async fn read_file(hub: Hub, open: Option<Transcript>, path: PathBuf, _claim: Claim) -> Outcome {
    match read_on(&hub, open, &path).await {
        Ok(outcome) => outcome,
        // It went, or it is a pipe, a device, or a link to one: the page of folders says so.
        Err(FollowError::Io(error)) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput) => {
            Outcome::Passed
        }
        Err(FollowError::Store(StoreError::NotFollowed(_))) => Outcome::Passed,
        Err(_) if hub.shutdown.is_cancelled() => Outcome::Passed,
        Err(error) => {
            hub.metrics.count_failed_file();
            tracing::warn!(path = %path.display(), %error, "a file can't be followed");
            Outcome::Passed
        }
    }
}

/// Reads and writes at once, some steps apart: a large file that was put there isn't held in memory.
async fn read_on(hub: &Hub, open: Option<Transcript>, path: &Path) -> Result<Outcome, FollowError> {
    let stored_path = packed::stored_path(path);
    let known = hub.workspace.source_by_path(&name(&stored_path)).await?;
    let agreed = Agreed::load(hub).await?;
    let (path, stop) = (path.to_owned(), hub.shutdown.clone());
    let (send, mut steps) = mpsc::channel::<Step>(imports::AHEAD);
    let (reads_for, runtime) = (hub.clone(), tokio::runtime::Handle::current());
    let reading = tokio::task::spawn_blocking(move || {
        // An import may have read on meanwhile.
        let kept = open.filter(|open| open.is_at(known.as_ref()) && open.still_fits());
        let opened = if kept.is_none() { Some(open::regular(&path)?) } else { None };
        let real = kept.as_ref().map(Transcript::real).or(opened.as_ref().map(|opened| opened.real.as_path()));
        let Some(allowed) = real.and_then(|real| agreed.reading(&path, real)) else { return Ok(Outcome::Passed) };
        let mut pass = |step: Step| {
            let step = step.depending_on(&allowed);
            send.blocking_send(step).map_err(|_| std::io::Error::other("nobody writes what is read"))
        };
        if let Some(opened) = &opened
            && database::is_database(&opened.file)?
        {
            database::read(&reads_for, &runtime, &path, &opened.real, &mut pass)?;
            return Ok(Outcome::Settled);
        }
        let mut ending = opened.as_ref().map_or(Ending::Growing, |opened| Ending::of(&opened.file));
        let mut unpacked = None;
        let is_known = known.is_some();
        let mut transcript = match (kept, opened) {
            (Some(transcript), _) => transcript,
            (None, Some(_)) if packed::is_spare(&path) => return Ok(Outcome::Passed),
            (None, Some(opened)) => {
                let (opened, packed) = packed::unpack(&reads_for, &runtime, &path, opened)?;
                if packed.is_some() {
                    ending = Ending::Final;
                }
                unpacked = packed;
                // A file that was read before is read on with the same reader.
                let before = known.as_ref().and_then(|known| agents::agent(&known.reader));
                let Some(agent) = imports::recognise(&opened.file, &path, ending)?.ok().or(before) else {
                    return Ok(Outcome::Settled);
                };
                if !is_known && imports::is_read_elsewhere(&reads_for, &runtime, agent, &stored_path)? {
                    return Ok(Outcome::Settled);
                }
                Transcript::open(&stored_path, opened, agent, known.as_ref(), stop, &mut pass)?
            }
            (None, None) => return Ok(Outcome::Passed),
        };
        transcript.read_on(ending, &mut |step| packed::pass(&mut unpacked, is_known, step, &mut pass))?;
        // A database or packed file is read again completely when it changes.
        let is_whole = ending == Ending::Final;
        Ok::<_, std::io::Error>(if is_whole { Outcome::Settled } else { Outcome::Read(Box::new(transcript)) })
    });
    while let Some(step) = steps.recv().await {
        if !step.is_empty() {
            imports::write(hub, step).await?;
        }
    }
    Ok(reading.await.map_err(std::io::Error::other)??)
}
