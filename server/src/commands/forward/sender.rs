//! What of which file is sent next.

use super::content::{Content, Mark, Stamp};
use super::found::Found;
use super::link::{Failure, Link};
use crate::printing::note;
use anyhow::Result;
use api::machines::{
    FilePiece, MOST_FILE, MOST_FILES, MOST_PIECES, MachineFile, MachineWelcome, StoredFile, WholeFile,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hub::imports::order::oldest_first;
use redact::Redactor;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::ErrorKind;
use std::path::Path;

/// Room in a request below which it is sent before the next piece is read.
const LITTLE: usize = 64 << 10;

/// A file that was sent.
#[derive(Debug, Clone)]
struct Sent {
    stamp: Stamp,
    mark: Mark,
    /// Bytes of the server's copy.
    size: u64,
    /// Of a file that is replaced as a whole: its hash.
    sha256: Option<String>,
}

/// Files of which all was sent, compared with the server's copies.
pub struct Sum {
    pub files: i64,
    pub bytes: u64,
    /// Paths of those that differ.
    pub different: Vec<String>,
}

pub struct Sender {
    link: Link,
    redactor: Option<Redactor>,
    sent: HashMap<MachineFile, Sent>,
    /// Folders of agents that the server knows.
    folders: Vec<String>,
    /// Files of which the server's copy isn't as it was expected: they are compared again.
    behind: BTreeSet<MachineFile>,
    said: BTreeSet<MachineFile>,
    /// Files that couldn't be read, with the reason.
    unread: BTreeMap<MachineFile, String>,
    batch: Batch,
}

/// Pieces of one request.
#[derive(Default)]
struct Batch {
    pieces: Vec<FilePiece>,
    /// Where each file is after its piece.
    ends: Vec<u64>,
    bytes: usize,
    /// Files that are sent completely with it.
    complete: Vec<(MachineFile, Sent)>,
}

impl Sender {
    pub fn new(link: Link, redacts: bool) -> Result<Self> {
        let redactor = if redacts { Some(Redactor::new(&[])?) } else { None };
        Ok(Self {
            link,
            redactor,
            sent: HashMap::new(),
            folders: Vec::new(),
            behind: BTreeSet::new(),
            said: BTreeSet::new(),
            unread: BTreeMap::new(),
            batch: Batch::default(),
        })
    }

    pub fn address(&self) -> &str {
        &self.link.address
    }

    pub fn is_due(&self) -> bool {
        self.link.is_due()
    }

    /// Returns true if something is to be sent again.
    pub fn is_behind(&self) -> bool {
        !self.behind.is_empty()
    }

    /// Returns how many files couldn't be read, and why one of them couldn't.
    pub fn unread(&self) -> Option<(i64, &str)> {
        Some((i64::try_from(self.unread.len()).unwrap_or(i64::MAX), self.unread.values().next()?))
    }

    /// Says that this machine is there. What other copies have is asked anew.
    pub async fn hello(&mut self) -> Result<MachineWelcome, Failure> {
        let (welcome, is_other) = self.link.hello().await?;
        if is_other {
            self.sent.clear();
        }
        self.folders.clone_from(&welcome.folders);
        Ok(welcome)
    }

    /// Sends what changed of these files. Returns how many bytes that were.
    pub async fn send(&mut self, files: &[Found]) -> Result<u64, Failure> {
        let changed: Vec<(&Found, Stamp)> = files.iter().filter_map(|found| self.changed(found)).collect();
        let changed = in_order(changed);
        let unknown: Vec<&Found> =
            changed.iter().map(|(found, _)| *found).filter(|found| !self.sent.contains_key(&found.file)).collect();
        let stored = self.stored(&unknown).await?;
        self.batch = Batch::default();
        let mut bytes = 0;
        for (found, stamp) in changed {
            self.behind.remove(&found.file);
            self.unread.remove(&found.file);
            match self.send_one(found, stamp, stored.get(&found.file)).await {
                Ok(sent) => bytes += sent,
                Err(SendError::Link(failure)) => return Err(failure),
                // Its agent deleted it meanwhile.
                Err(SendError::File(error)) if error.kind() == ErrorKind::NotFound => {}
                Err(SendError::File(error)) => {
                    let reason = format!("{}: {error}", found.path.display());
                    self.skip(found, &error.to_string());
                    self.unread.insert(found.file.clone(), reason);
                }
            }
        }
        self.flush().await?;
        Ok(bytes)
    }

    /// Asks what the server has of files, and compares it with what is here.
    pub async fn compare(&mut self, files: &[Found]) -> Result<Sum, Failure> {
        let known: Vec<&Found> = files.iter().filter(|found| self.sent.contains_key(&found.file)).collect();
        let stored = self.stored(&known).await?;
        let mut sum = Sum { files: 0, bytes: 0, different: Vec::new() };
        for found in known {
            let (Some(sent), Some(stored)) = (self.sent.get(&found.file).cloned(), stored.get(&found.file)) else {
                continue;
            };
            let agrees = match &sent.sha256 {
                Some(sha256) => *sha256 == stored.sha256,
                None => match Content::open(found, &sent.stamp, self.redactor.as_ref(), None).await {
                    Ok(Some(mut content)) => {
                        content.prefix(stored.size).is_ok_and(|hash| hash.as_ref() == Some(&stored.sha256))
                    }
                    Ok(None) | Err(_) => false,
                },
            };
            if agrees && stored.size == sent.size {
                sum.files += 1;
                sum.bytes += stored.size;
            } else {
                self.sent.remove(&found.file);
                sum.different.push(found.path.display().to_string());
            }
        }
        Ok(sum)
    }

    /// Returns a file with its state, if that isn't the one that was sent.
    fn changed<'a>(&mut self, found: &'a Found) -> Option<(&'a Found, Stamp)> {
        if !self.folders.contains(&found.file.folder) {
            self.skip(found, "its agent is unknown to the server, which is older");
            return None;
        }
        let stamp = Stamp::of(&found.path)?;
        if stamp.size > MOST_FILE {
            self.skip(found, &format!("has more than {} GiB", MOST_FILE >> 30));
            return None;
        }
        let is_sent = self.sent.get(&found.file).is_some_and(|sent| sent.stamp == stamp);
        (!is_sent).then_some((found, stamp))
    }

    async fn stored(&mut self, files: &[&Found]) -> Result<HashMap<MachineFile, StoredFile>, Failure> {
        let mut all = HashMap::new();
        let mut rest = files;
        while !rest.is_empty() {
            let asked: Vec<MachineFile> = rest.iter().take(MOST_FILES).map(|found| found.file.clone()).collect();
            let answered = self.link.compare(asked.clone()).await?;
            if answered.is_empty() {
                return Err(Failure::passing("The server answered for none of the files"));
            }
            rest = rest.get(answered.len()..).unwrap_or_default();
            all.extend(asked.into_iter().zip(answered));
        }
        Ok(all)
    }

    async fn send_one(&mut self, found: &Found, stamp: Stamp, stored: Option<&StoredFile>) -> Result<u64, SendError> {
        let before = self.sent.get(&found.file).cloned();
        let since = before.as_ref().filter(|sent| sent.sha256.is_none()).map(|sent| (&sent.mark, sent.size));
        let Some(mut content) = Content::open(found, &stamp, self.redactor.as_ref(), since).await? else {
            self.skip(found, "is a database, whose secrets can't be masked");
            return Ok(0);
        };
        // Where the server's copy goes on, if it is the beginning of what is here.
        let from = match (&before, stored) {
            (Some(Sent { mark, size, sha256: None, .. }), _) if content.continues(mark, *size) => Some(*size),
            (None, Some(stored)) if !content.is_whole => {
                let prefix = content.prefix(stored.size)?;
                prefix.filter(|prefix| *prefix == stored.sha256).map(|_| stored.size)
            }
            _ => None,
        };
        let whole = match from {
            Some(_) => None,
            None => Some(content.whole()?),
        };
        let has_it = |whole: &WholeFile| {
            stored.is_some_and(|stored| stored.sha256 == whole.sha256 && stored.size == whole.size)
                || before.as_ref().is_some_and(|sent| sent.sha256.as_ref() == Some(&whole.sha256))
        };
        let is_there = whole.as_ref().is_some_and(has_it) || from == Some(content.end);
        let sha256 = whole.as_ref().map(|whole| whole.sha256.clone()).filter(|_| content.is_whole);
        let sent = Sent { stamp, mark: content.mark.clone(), size: content.end, sha256 };
        if is_there {
            self.sent.insert(found.file.clone(), sent);
            return Ok(0);
        }
        let start = from.unwrap_or(0);
        let mut offset = start;
        loop {
            if MOST_PIECES - self.batch.bytes < LITTLE || self.batch.pieces.len() >= MOST_FILES {
                self.flush().await?;
            }
            let bytes = content.bytes(offset, MOST_PIECES - self.batch.bytes)?;
            let end = offset + bytes.len() as u64;
            if bytes.is_empty() && offset < content.end {
                return Err(std::io::Error::other("became shorter while it was read").into());
            }
            let is_last = end == content.end;
            let MachineFile { folder, path } = found.file.clone();
            self.batch.bytes += bytes.len();
            self.batch.ends.push(end);
            self.batch.pieces.push(FilePiece {
                folder,
                path,
                offset,
                bytes: STANDARD.encode(&bytes),
                modified_at: stamp.modified_at().filter(|_| is_last),
                whole: whole.clone(),
            });
            offset = end;
            if is_last {
                self.batch.complete.push((found.file.clone(), sent));
                return Ok(end - start);
            }
        }
    }

    /// Sends the pieces that wait.
    async fn flush(&mut self) -> Result<(), Failure> {
        let Batch { pieces, ends, complete, .. } = std::mem::take(&mut self.batch);
        if pieces.is_empty() {
            return Ok(());
        }
        let files: Vec<MachineFile> =
            pieces.iter().map(|piece| MachineFile { folder: piece.folder.clone(), path: piece.path.clone() }).collect();
        let sizes = self.link.append(pieces).await.inspect_err(|_| {
            // Whether the server took them is asked the next time.
            for file in &files {
                self.sent.remove(file);
            }
        })?;
        for (index, file) in files.iter().enumerate() {
            if sizes.get(index) != ends.get(index) {
                self.sent.remove(file);
                self.behind.insert(file.clone());
            }
        }
        for (file, sent) in complete {
            if !self.behind.contains(&file) {
                self.sent.insert(file, sent);
            }
        }
        // A first time may take hours.
        if self.link.is_due() {
            self.hello().await?;
        }
        Ok(())
    }

    fn skip(&mut self, found: &Found, why: &str) {
        if self.said.insert(found.file.clone()) {
            note(&format!("{}: {why}; it isn't sent now", found.path.display()));
        }
    }
}

/// What readers take as well is there before its transcript, and a session before its forks, which repeat its messages.
fn in_order(changed: Vec<(&Found, Stamp)>) -> Vec<(&Found, Stamp)> {
    let (beside, transcripts): (Vec<_>, Vec<_>) = changed.into_iter().partition(|(found, _)| found.is_beside);
    let paths = transcripts.iter().map(|(found, _)| found.path.clone()).collect();
    let order = if transcripts.len() > 1 { oldest_first(paths) } else { paths };
    let mut by_path: HashMap<&Path, (&Found, Stamp)> =
        transcripts.into_iter().map(|(found, stamp)| (found.path.as_path(), (found, stamp))).collect();
    let ordered = order.iter().filter_map(|path| by_path.remove(path.as_path()));
    beside.into_iter().chain(ordered.collect::<Vec<_>>()).collect()
}

enum SendError {
    Link(Failure),
    File(std::io::Error),
}

impl From<Failure> for SendError {
    fn from(failure: Failure) -> Self {
        Self::Link(failure)
    }
}

impl From<std::io::Error> for SendError {
    fn from(error: std::io::Error) -> Self {
        Self::File(error)
    }
}
