//! The copies of machines' files: `machines/<agent's folder>/<machine>/<path>` in the data directory.
//!
//! A file that its agent appends to is appended to here. Any other change collects the new file in `machines/incoming`,
//! and renames it when all of it is there: a reader sees the old file or the new one, and a machine that goes offline in
//! between leaves the old one. No link is ever made, and the folder belongs to the server alone.

use crate::basics::clock;
use crate::basics::hex;
use crate::context::{Consent, Hub, TopicState};
use crate::imports::claims::Claims;
use api::machines::{FilePiece, MOST_FILE, MachineFile, StoredFile, is_path};
use api::{Problem, ProblemCode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Error, ErrorKind, Read as _, Result, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Bytes that are hashed for one request. The files after that are left out.
const HASHED: u64 = 1 << 30;
/// Bytes that are read at a time.
const BLOCK: usize = 1 << 20;
/// Folder of files that aren't all there.
const INCOMING: &str = "incoming";
/// Names the copies: where they were made anew, the name is another one.
const NAME: &str = "copies.id";

/// One writer per machine.
#[derive(Default)]
pub(super) struct Writers(Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>);

impl TopicState for Writers {}

impl Writers {
    fn of(&self, machine: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut writers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(writers.entry(machine.to_owned()).or_default())
    }
}

/// The copies of one machine's files.
#[derive(Clone)]
pub(super) struct Copies {
    hub: Hub,
    folder: PathBuf,
    machine: String,
}

/// A piece whose path and bytes are valid.
pub(super) struct Piece {
    target: PathBuf,
    bytes: Vec<u8>,
    sent: FilePiece,
}

impl Copies {
    /// Returns the copies of a machine's files.
    ///
    /// # Errors
    ///
    /// 409 on a server that keeps none.
    pub fn of(hub: &Hub, machine: &str) -> std::result::Result<Self, Problem> {
        let none = || Problem::new(ProblemCode::OtherCopies, "This server keeps no files of other machines");
        let folder = hub.settings.machines.clone().ok_or_else(none)?;
        Ok(Self { hub: hub.clone(), folder, machine: machine.to_owned() })
    }

    /// Returns the name of these copies. The first call makes it.
    pub fn name(&self) -> Result<String> {
        let path = self.folder.join(NAME);
        if let Ok(name) = std::fs::read_to_string(&path) {
            return Ok(name);
        }
        store::private_dir(&self.folder)?;
        let name = crate::basics::new_id::new_uuid().to_string();
        let mut file = store::private_file(&path)?;
        file.write_all(name.as_bytes())?;
        file.sync_all()?;
        Ok(name)
    }

    /// Returns where the copy of a file is. None if no agent keeps such a file.
    pub fn place(&self, file: &MachineFile) -> Option<PathBuf> {
        let path = Path::new(&file.path);
        if !is_path(&file.path) || path.components().count() != file.path.split('/').count() {
            return None;
        }
        let folder = self.folder.join(&file.folder);
        let roots = self.hub.settings.roots.iter().filter(|root| root.consent == Consent::Machines);
        let is_kept = |root: &&crate::context::Root| root.path == folder && root.folder.name() == file.folder;
        let root = roots.clone().find(is_kept)?;
        let is_beside = agents::AGENTS.iter().filter(|agent| agent.name == root.agent).any(|agent| {
            let sidecar = agent.reading.and_then(|reading| reading.sidecar).map(|name| name.trim_start_matches('/'));
            sidecar.is_some_and(|sidecar| file.path.ends_with(sidecar))
        });
        let target = root.path.join(&self.machine).join(path);
        (is_beside || root.holds(&target)).then_some(target)
    }

    /// Writes pieces, and returns the size of each file after its piece.
    pub async fn write(&self, pieces: Vec<Piece>) -> std::result::Result<Vec<u64>, Problem> {
        let writer = self.hub.state::<Writers>().of(&self.machine);
        let _one = writer.lock_owned().await;
        let copies = self.clone();
        let written = tokio::task::spawn_blocking(move || {
            pieces.iter().map(|piece| copies.write_one(piece)).collect::<Result<Vec<u64>>>()
        });
        written.await.map_err(|_| Problem::internal())?.map_err(failed)
    }

    fn write_one(&self, Piece { target, bytes, sent: piece }: &Piece) -> Result<u64> {
        let (path, size) = match &piece.whole {
            None => (target.clone(), None),
            Some(whole) => (self.incoming(target), Some(whole)),
        };
        let folder = path.parent().ok_or(ErrorKind::InvalidInput)?;
        store::private_dir(folder)?;
        let mut file = store::private_file(&path)?;
        // An older version of the file may have been collected in part.
        if size.is_some() && piece.offset == 0 {
            file.set_len(0)?;
        }
        let at = file.metadata()?.len();
        if at != piece.offset {
            return Ok(at);
        }
        file.seek(SeekFrom::Start(at))?;
        if let Err(error) = file.write_all(bytes) {
            // A part of a line would be taken for the agent's.
            let _ = file.set_len(at);
            return Err(error);
        }
        let now = at + bytes.len() as u64;
        if size.is_none_or(|whole| whole.size == now) {
            set_modified(&file, piece)?;
        }
        let Some(whole) = size.filter(|whole| whole.size == now) else {
            if size.is_none() {
                self.hub.state::<Claims>().note_changed(target);
            }
            return Ok(now);
        };
        if hash_of(&mut file, now)? != whole.sha256 {
            file.set_len(0)?;
            return Ok(0);
        }
        file.sync_all()?;
        drop(file);
        if let Some(folder) = target.parent() {
            store::private_dir(folder)?;
        }
        std::fs::rename(&path, target)?;
        self.hub.state::<Claims>().note_changed(target);
        Ok(now)
    }

    /// Where a file is collected that replaces another one.
    fn incoming(&self, target: &Path) -> PathBuf {
        let name = Sha256::digest(target.as_os_str().as_encoded_bytes());
        self.folder.join(INCOMING).join(&self.machine).join(hex(&name))
    }

    /// Deletes all of them.
    pub fn delete(&self) -> Result<()> {
        let roots = self.hub.settings.roots.iter().filter(|root| root.consent == Consent::Machines);
        let folders = roots.map(|root| root.path.clone()).chain([self.folder.join(INCOMING)]);
        for folder in folders {
            match std::fs::remove_dir_all(folder.join(&self.machine)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks a piece. `index` is its place in the request.
    ///
    /// # Errors
    ///
    /// 400, which names the field.
    pub fn check(&self, index: usize, piece: FilePiece) -> std::result::Result<Piece, Problem> {
        let file = MachineFile { folder: piece.folder.clone(), path: piece.path.clone() };
        let target = self.place(&file).ok_or_else(|| no_file(&format!("/pieces/{index}/path")))?;
        let wrong = |field: &str, rule: &str| Problem::field(&format!("/pieces/{index}/{field}"), rule);
        let bytes = STANDARD.decode(&piece.bytes).map_err(|_| wrong("bytes", "bytes in Base64"))?;
        let end = piece.offset.saturating_add(bytes.len() as u64);
        if end > MOST_FILE || piece.whole.as_ref().is_some_and(|whole| whole.size > MOST_FILE || whole.size < end) {
            return Err(wrong("offset", &format!("bytes within a file of at most {} GiB", MOST_FILE >> 30)));
        }
        Ok(Piece { target, bytes, sent: piece })
    }
}

impl Piece {
    pub fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// The problem of a path that names no file of an agent.
pub(super) fn no_file(field: &str) -> Problem {
    Problem::field(field, "the path of a file that an agent keeps in this folder, without `..`, links and backslashes")
}

/// Reads sizes and hashes of copies: of all files, or of the first ones where they have many bytes.
pub(super) fn compare(targets: &[PathBuf]) -> Result<Vec<StoredFile>> {
    let mut hashed = 0;
    let mut found = Vec::new();
    for target in targets {
        if hashed > HASHED {
            break;
        }
        let stored = stored(target)?;
        hashed += stored.size;
        found.push(stored);
    }
    Ok(found)
}

fn stored(target: &Path) -> Result<StoredFile> {
    match File::open(target) {
        Ok(mut file) => {
            let size = file.metadata()?.len();
            Ok(StoredFile { size, sha256: hash_of(&mut file, size)? })
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(StoredFile { size: 0, sha256: hex(&Sha256::digest([])) })
        }
        Err(error) => Err(error),
    }
}

fn hash_of(file: &mut File, size: u64) -> Result<String> {
    file.rewind()?;
    let mut hash = Sha256::new();
    let (mut left, mut block) = (size, vec![0; BLOCK]);
    while left > 0 {
        let most = usize::try_from(left).map_or(BLOCK, |left| left.min(BLOCK));
        let read = file.read(&mut block[..most])?;
        if read == 0 {
            return Err(Error::from(ErrorKind::UnexpectedEof));
        }
        hash.update(&block[..read]);
        left -= read as u64;
    }
    Ok(hex(&hash.finalize()))
}

/// A file that has rested is read to its end at once. A clock that is ahead makes none newer than it is here.
fn set_modified(file: &File, piece: &FilePiece) -> Result<()> {
    let Some(at) = piece.modified_at.map(|at| at.min(clock::now())) else { return Ok(()) };
    let since = Duration::from_micros(u64::try_from(at.0).unwrap_or(0));
    file.set_modified(SystemTime::UNIX_EPOCH + since)
}

/// An error of the disk, as a problem.
pub(super) fn failed(error: Error) -> Problem {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => crate::basics::problem(store::StoreError::Full),
        _ => crate::basics::problem(store::StoreError::Io(error)),
    }
}
