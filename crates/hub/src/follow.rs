//! Files that grow: what the agent writes is on the page within milliseconds.
//!
//! The system tells which files changed; now and then all are looked at, in case it didn't. A file that is being written
//! keeps its reader, so that only its new lines are read.

use crate::import::transcript::{Ending, Step, Transcript, modified_at};
use crate::{Hub, discover, import};
use model::source::Source;
use notify::{RecursiveMode, Watcher as _};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{Permission, StoreError};
use tokio::sync::mpsc;

/// Readers that are kept. More agents than these at once cost a second reading of their files, no more.
const KEPT: usize = 64;
/// How often all files are looked at.
const SWEEP: Duration = Duration::from_secs(15);
/// When all files are looked at after a new folder came.
const SETTLED: Duration = Duration::from_secs(1);
/// Paths that may wait. When it is full the next sweep finds what was dropped.
const QUEUE: usize = 4096;

#[derive(Debug, thiserror::Error)]
enum FollowError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Imports what is there, then follows all roots until the hub shuts down.
pub async fn follow(hub: Hub) {
    let (send, mut changed) = mpsc::channel::<PathBuf>(QUEUE);
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event
            && !event.kind.is_access()
        {
            for path in event.paths {
                let _ = send.try_send(path);
            }
        }
    });
    let mut watcher = watcher
        .inspect_err(|error| tracing::warn!(%error, "files can't be watched: they are looked at every 15 s"))
        .ok();
    let mut unwatched: Vec<PathBuf> = hub.settings.roots.iter().map(|r| r.path.clone()).collect();
    let mut open = HashMap::new();
    let mut sweep = tokio::time::interval(SWEEP);
    sweep.tick().await;
    watch(&mut watcher, &mut unwatched);
    import_all(&hub).await;
    loop {
        tokio::select! {
            () = hub.shutdown.cancelled() => return,
            Some(path) = changed.recv() => {
                let mut paths = vec![path];
                while let Ok(path) = changed.try_recv() {
                    if !paths.contains(&path) {
                        paths.push(path);
                    }
                }
                for path in paths {
                    // What a new folder got before it was watched is told by nobody: it is looked for now, and once more
                    // when the watch is surely there.
                    if path.is_dir() {
                        watch_link(&mut watcher, &path);
                        sweep.reset_after(SETTLED);
                        for file in discover::transcripts_below(&path) {
                            read(&hub, &mut open, file).await;
                        }
                    } else {
                        read(&hub, &mut open, path).await;
                    }
                }
            }
            missed = hub.claims.missed() => {
                for path in missed {
                    read(&hub, &mut open, path).await;
                }
            }
            _ = sweep.tick() => {
                watch(&mut watcher, &mut unwatched);
                for path in grown(&hub).await {
                    read(&hub, &mut open, path).await;
                }
            }
        }
    }
}

/// A root may come into being later.
fn watch(watcher: &mut Option<notify::RecommendedWatcher>, unwatched: &mut Vec<PathBuf>) {
    let Some(watcher) = watcher else { return };
    unwatched.retain(|root| !root.is_dir() || watcher.watch(root, RecursiveMode::Recursive).is_err());
}

/// What a link leads to is watched by its own: it may lie anywhere.
fn watch_link(watcher: &mut Option<notify::RecommendedWatcher>, path: &Path) {
    if let Some(watcher) = watcher.as_mut().filter(|_| path.is_symlink())
        && let Err(error) = watcher.watch(path, RecursiveMode::Recursive)
    {
        tracing::warn!(path = %path.display(), %error, "a linked folder can't be watched");
    }
}

async fn import_all(hub: &Hub) {
    let files = allowed(hub).await;
    if files.is_empty() {
        return;
    }
    let mut changes = hub.jobs.subscribe();
    let id = import::start(hub, files, import::Why::Followed);
    while hub.jobs.get(id).is_some_and(|job| !job.done) {
        tokio::select! {
            () = hub.shutdown.cancelled() => return,
            changed = changes.changed() => if changed.is_err() { return },
        }
    }
}

/// All transcripts that the owner lets us read.
async fn allowed(hub: &Hub) -> Vec<PathBuf> {
    let roots: Vec<PathBuf> = hub.settings.roots.iter().map(|r| r.path.clone()).collect();
    let all = move || roots.iter().flat_map(|root| discover::transcripts_below(root)).collect::<Vec<_>>();
    let mut files = tokio::task::spawn_blocking(all).await.unwrap_or_default();
    let mut folders: HashMap<PathBuf, bool> = HashMap::new();
    for file in &files {
        let folder = file.parent().unwrap_or(file).to_owned();
        if let Entry::Vacant(unknown) = folders.entry(folder) {
            unknown.insert(discover::may_read(hub, file).await.unwrap_or(false));
        }
    }
    files.retain(|file| folders.get(file.parent().unwrap_or(file)).copied().unwrap_or(false));
    files
}

/// Files whose size or time of change isn't what is stored.
async fn grown(hub: &Hub) -> Vec<PathBuf> {
    let Ok(sources) = hub.workspace.sources().await else { return Vec::new() };
    let stored: HashMap<String, Source> = sources.into_iter().map(|s| (s.path.clone(), s)).collect();
    let mut files = allowed(hub).await;
    files.retain(|file| {
        let Ok(metadata) = file.metadata() else { return false };
        stored.get(&*file.to_string_lossy()).is_none_or(|source| {
            let touched = source.modified_at.is_some() && source.modified_at != modified_at(&metadata);
            touched || source.size != metadata.len()
        })
    });
    files
}

async fn read(hub: &Hub, open: &mut HashMap<PathBuf, Transcript>, path: PathBuf) {
    if path.extension().is_none_or(|x| x != "jsonl") {
        return;
    }
    // It is read at the next sweep after there is room.
    if hub.require_room().is_err() {
        return;
    }
    let Some(permission) = discover::permission(hub, &path) else { return };
    if !hub.workspace.may_follow(&permission).await.unwrap_or(false) {
        return;
    }
    // An import may have read its end already: it is looked at again when that is done.
    let Some(_claim) = hub.claims.claim_changed(&path) else { return };
    match read_on(hub, open.remove(&path), &path, permission).await {
        Ok(Some(transcript)) => {
            if open.len() >= KEPT {
                open.clear();
            }
            open.insert(path, transcript);
        }
        Err(FollowError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
        Ok(None) | Err(FollowError::Store(StoreError::NotFollowed(_))) => {}
        Err(error) => tracing::warn!(path = %path.display(), %error, "a file can't be followed"),
    }
}

/// Reads and writes at once, some steps apart: a large file that was put there isn't held in memory. None if it is no
/// transcript, or none yet.
async fn read_on(
    hub: &Hub,
    open: Option<Transcript>,
    path: &Path,
    permission: Permission,
) -> Result<Option<Transcript>, FollowError> {
    let known = hub.workspace.source_by_path(&path.to_string_lossy()).await?;
    let path = path.to_owned();
    let (send, mut steps) = mpsc::channel::<Step>(import::AHEAD);
    let reading = tokio::task::spawn_blocking(move || {
        if known.is_none() && import::refusal(&path)?.is_some() {
            return Ok(None);
        }
        let mut each = |step: Step| {
            let step = step.depending_on(Some(&permission));
            send.blocking_send(step).map_err(|_| std::io::Error::other("nobody writes what is read"))
        };
        // An import may have read on meanwhile.
        let mut transcript = match open.filter(|open| open.is_at(known.as_ref()) && open.still_fits()) {
            Some(transcript) => transcript,
            None => Transcript::open(&path, known.as_ref(), &mut each)?,
        };
        transcript.read_on(Ending::Growing, &mut each)?;
        Ok::<_, std::io::Error>(Some(transcript))
    });
    while let Some(step) = steps.recv().await {
        if !step.is_empty() {
            import::write(hub, step).await?;
        }
    }
    Ok(reading.await.map_err(std::io::Error::other)??)
}
