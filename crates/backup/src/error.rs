//! Errors of backups.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use store::StoreError;
use store::transfer::TransferError;

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{} isn't a backup of Verbatim", .0.display())]
    NotOne(PathBuf),
    #[error("{} has no backup", .0.display())]
    Empty(PathBuf),
    #[error("{} has no backup {name}", .place.display())]
    Unknown { place: PathBuf, name: String },
    #[error("{file} is damaged: {reason}")]
    Damaged { file: String, reason: String },
    #[error("{file} is missing")]
    Missing { file: String },
    #[error("{file} is of a newer version of Verbatim (format {found}, this program knows {known})")]
    Newer { file: String, found: u64, known: u64 },
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    #[error("another backup into {} is being made", .0.display())]
    Busy(PathBuf),
    /// Backups of the data directory must lie elsewhere.
    #[error("{} is in the data directory", .0.display())]
    Inside(PathBuf),
    #[error("table {0} doesn't hold what it was filled with")]
    Differs(String),
    #[error("the disk of {} is full", .0.display())]
    Full(PathBuf),
    #[error("{}: {error}", .path.display())]
    Io { path: PathBuf, error: std::io::Error },
    #[error(transparent)]
    Transfer(#[from] TransferError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A thread ended without a result.
    #[error("the backup was ended")]
    Ended,
}

impl BackupError {
    /// Returns a function that names the file of an error.
    pub(crate) fn at(path: &Path) -> impl Fn(std::io::Error) -> Self {
        move |error| {
            let path = path.to_owned();
            match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::Full(path),
                _ => Self::Io { path, error },
            }
        }
    }

    /// Returns advice for a person, if there is any.
    pub fn advice(&self) -> Option<&'static str> {
        Some(match self {
            Self::NotOne(_) | Self::Empty(_) => "Name the folder or file that `verbatim backup` wrote",
            Self::Unknown { .. } => "`verbatim backup list` names those that are there",
            Self::Damaged { .. } | Self::Missing { .. } => {
                "Other backups of the folder may be whole: `verbatim backup verify` says which. Or use a copy of it"
            }
            Self::Newer { .. } => "Update Verbatim",
            Self::Exists(_) => "Name another file, or a folder: one folder holds many backups",
            Self::Busy(_) => "Try again when it is done",
            Self::Inside(_) => "Name another folder, best on another disk",
            Self::Differs(_) => "The disk may be faulty. Begin again with an empty database",
            Self::Full(_) => "Free some disk space and try again; earlier backups are whole",
            Self::Transfer(TransferError::Used(_)) => {
                "Name an empty data directory or database: nothing is written over"
            }
            Self::Transfer(TransferError::Changed(_)) => {
                "Begin again: remove the file that ends in `-filling`, or make an empty database"
            }
            Self::Transfer(TransferError::Store(error)) | Self::Store(error) => return error.advice(),
            Self::Io { .. } | Self::Ended | Self::Transfer(_) => return None,
        })
    }
}
