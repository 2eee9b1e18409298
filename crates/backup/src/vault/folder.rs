//! A folder with many backups.

use super::{BACKUPS, BEGUN, MARKED, MARKER};
use crate::BackupError;
use crate::manifest::Manifest;
use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use store::{private_dir, private_file, sync_dir, with_suffix};

/// Held while a folder is written.
const LOCK: &str = "lock";

/// The lock of a folder. It ends with the process.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "it is held")] File);

impl Lock {
    pub(crate) fn take(folder: &Path) -> Result<Self, BackupError> {
        let path = folder.join(LOCK);
        let file = private_file(&path).map_err(BackupError::at(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(BackupError::Busy(folder.to_owned())),
            Err(TryLockError::Error(error)) => Err(BackupError::at(&path)(error)),
        }
    }
}

/// Writes a file so that it is there as a whole or not at all, also after a loss of power.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), BackupError> {
    let begun = with_suffix(path, BEGUN);
    let write = || {
        let mut file = private_file(&begun)?;
        file.set_len(0)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&begun, path)
    };
    write().map_err(|error| {
        let _ = std::fs::remove_file(&begun);
        BackupError::at(path)(error)
    })
}

/// Names of the complete files of a folder, in order.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, BackupError> {
    let at = BackupError::at(folder);
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(at(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(&at)?.file_name().to_string_lossy().into_owned();
        if !name.ends_with(BEGUN) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Removes all files but `used`, those of a backup that was cut included. Who does so holds the folder's lock.
pub(super) fn remove_others(parts: &Path, used: &BTreeSet<&str>) -> Result<(), BackupError> {
    for dir in names(parts)? {
        let dir = parts.join(dir);
        let at = BackupError::at(&dir);
        for entry in std::fs::read_dir(&dir).map_err(&at)? {
            let entry = entry.map_err(&at)?;
            if !used.contains(&*entry.file_name().to_string_lossy()) {
                std::fs::remove_file(entry.path()).map_err(&at)?;
            }
        }
    }
    Ok(())
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, BackupError> {
    std::fs::read(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => BackupError::Missing { file: path.display().to_string() },
        _ => BackupError::at(path)(error),
    })
}

/// Writes a backup into a folder.
#[derive(Debug)]
pub(crate) struct Writer {
    folder: PathBuf,
    _lock: Lock,
}

impl Writer {
    /// Makes the folder, unless it has backups already.
    ///
    /// # Errors
    ///
    /// [`BackupError::NotOne`] if it has anything else.
    pub(super) fn open(folder: &Path) -> Result<Self, BackupError> {
        private_dir(folder).map_err(BackupError::at(folder))?;
        let marker = folder.join(MARKER);
        if !marker.exists() {
            let others = names(folder)?.into_iter().any(|name| name != LOCK);
            if others {
                return Err(BackupError::NotOne(folder.to_owned()));
            }
            write_whole(&marker, MARKED)?;
        }
        let lock = Lock::take(folder)?;
        let backups = folder.join(BACKUPS);
        private_dir(&backups).map_err(BackupError::at(&backups))?;
        Ok(Self { folder: folder.to_owned(), _lock: lock })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.folder.join(name).is_file()
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), BackupError> {
        let path = self.folder.join(name);
        if let Some(dir) = path.parent() {
            private_dir(dir).map_err(BackupError::at(dir))?;
        }
        write_whole(&path, bytes)
    }

    pub(super) fn finish(self, name: &str, manifest: &Manifest) -> Result<String, BackupError> {
        let folder = self.folder.join(BACKUPS);
        for dir in names(&self.folder.join("parts"))? {
            let dir = self.folder.join("parts").join(dir);
            sync_dir(&dir).map_err(BackupError::at(&dir))?;
        }
        // Of two within a second, the later one has a number.
        let taken = names(&folder)?;
        let mut free = name.to_owned();
        for number in 2.. {
            if !taken.contains(&free) {
                break;
            }
            free = format!("{name}-{number}");
        }
        let path = folder.join(&free);
        write_whole(&path, &manifest.write().map_err(BackupError::at(&path))?)?;
        sync_dir(&folder).map_err(BackupError::at(&folder))?;
        Ok(free)
    }
}
