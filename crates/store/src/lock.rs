//! One process per data directory.

use crate::files::{private_dir, private_file};
use crate::reserve;
use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// Why the lock can't be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("{} is in use by process {holder}", .dir.display())]
    Held { dir: PathBuf, holder: String },
    #[error("can't lock {}: {error}", .dir.display())]
    Io { dir: PathBuf, error: std::io::Error },
}

/// The lock of a data directory, held until it is dropped or the process ends.
#[derive(Debug)]
pub struct DataDirLock {
    file: File,
}

impl DataDirLock {
    /// Creates the directory (0700) and takes `server.lock` in it.
    pub fn acquire(dir: &Path) -> Result<Self, LockError> {
        let io = |error| LockError::Io { dir: dir.to_owned(), error };
        private_dir(dir).map_err(io)?;
        Self::lock(dir, private_file(&dir.join("server.lock")).map_err(io)?)
    }

    /// Takes the lock over from a process that gives its file: both hold it until that process ends.
    pub fn adopt(dir: &Path, file: File) -> Result<Self, LockError> {
        Self::lock(dir, file)
    }

    fn lock(dir: &Path, mut file: File) -> Result<Self, LockError> {
        let io = |error| LockError::Io { dir: dir.to_owned(), error };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.read_to_string(&mut holder).map_err(io)?;
                return Err(LockError::Held { dir: dir.to_owned(), holder: holder.trim().to_owned() });
            }
            Err(TryLockError::Error(error)) => return Err(io(error)),
        }
        // On a full disk, whatever else a start writes needs room too.
        reserve::give_up_if_exhausted(dir).map_err(io)?;
        file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
        writeln!(file, "{}", std::process::id()).map_err(io)?;
        Ok(Self { file })
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for DataDirLock {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.file.as_fd()
    }
}
