//! Conditions in which a `SQLite` database can't be written: damage, or a full disk.

use crate::StoreError;
use crate::disk::DiskSpace;
use crate::files::{private_file, with_suffix};
use sqlx::sqlite::SqliteError;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// The condition of an open database. One of `PostgreSQL` is always well: its server sees to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condition {
    /// Description of the damage, for people. Nothing is written while this is set.
    pub damage: Option<String>,
    /// The disk is full: only what makes room is to be written.
    pub disk_full: bool,
}

/// `SQLite`'s primary result codes, the low byte of an extended one.
const FAILED: i32 = 10;
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const CANNOT_OPEN: i32 = 14;
const NOT_A_DATABASE: i32 = 26;

/// Watches the outcome of each statement, and tells all handles on the database what it says of the database.
#[derive(Debug)]
pub(crate) struct Monitor {
    condition: watch::Sender<Condition>,
    /// The database's file; None for `PostgreSQL`.
    file: Option<PathBuf>,
    /// The check at the start wasn't done with the file.
    is_unchecked: AtomicBool,
}

impl Monitor {
    /// `file` is the database's file; None for `PostgreSQL`.
    pub(crate) fn new(file: Option<&Path>) -> Self {
        Self {
            condition: watch::Sender::default(),
            file: file.map(Path::to_owned),
            is_unchecked: AtomicBool::default(),
        }
    }

    /// Returns the outcome as it is. Damage and a full disk change the condition.
    pub(crate) fn observe<T: Outcome>(&self, outcome: T) -> T {
        match outcome.code() {
            Some((CORRUPT | NOT_A_DATABASE, message)) => self.damaged(&message),
            Some((FULL, _)) => self.set_disk_full(true),
            // Some of SQLite's files can't grow on a full disk, which it reports as any other failure.
            Some((FAILED | CANNOT_OPEN, _)) if self.is_disk_exhausted() => {
                self.set_disk_full(true);
            }
            _ => {}
        }
        outcome
    }

    /// The database is read only from now on. The first finding stays. One of `PostgreSQL`, which has means of its own,
    /// is written on.
    pub(crate) fn damaged(&self, finding: &str) {
        let Some(file) = &self.file else {
            tracing::error!(finding, "something in the database is damaged");
            return;
        };
        let changed = self.condition.send_if_modified(|condition| {
            let is_new = condition.damage.is_none();
            condition.damage.get_or_insert_with(|| finding.to_owned());
            is_new
        });
        if changed {
            tracing::error!(finding, "the database is damaged: nothing is written to it");
            // The next start looks at the file again.
            if let Err(error) = write_note(&note_beside(file), finding) {
                tracing::warn!(%error, "the damage can't be noted for the next start");
            }
        }
    }

    fn is_disk_exhausted(&self) -> bool {
        self.file.as_deref().and_then(Path::parent).and_then(DiskSpace::of).is_some_and(DiskSpace::is_exhausted)
    }

    /// The file is larger than a start waits for: it is to be checked on in the background.
    pub(crate) fn set_unchecked(&self) {
        self.is_unchecked.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_unchecked(&self) -> bool {
        self.is_unchecked.load(Ordering::Relaxed)
    }

    pub(crate) fn set_disk_full(&self, full: bool) {
        self.condition.send_if_modified(|condition| std::mem::replace(&mut condition.disk_full, full) != full);
    }

    pub(crate) fn is_disk_full(&self) -> bool {
        self.condition.borrow().disk_full
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<Condition> {
        self.condition.subscribe()
    }

    pub(crate) fn is_damaged(&self) -> bool {
        self.condition.borrow().damage.is_some()
    }

    /// An error where nothing may be written.
    pub(crate) fn permit_write(&self) -> Result<(), StoreError> {
        match &self.condition.borrow().damage {
            Some(finding) => Err(StoreError::Protected(finding.clone())),
            None => Ok(()),
        }
    }
}

fn write_note(file: &Path, finding: &str) -> std::io::Result<()> {
    let mut note = private_file(file)?;
    note.set_len(0)?;
    note.write_all(finding.as_bytes())
}

/// The file that notes damage of a database file.
pub(crate) fn note_beside(file: &Path) -> PathBuf {
    with_suffix(file, "-damaged")
}

/// Outcome of statements, as the `on!` macros see it.
pub(crate) trait Outcome {
    /// `SQLite`'s primary result code and its message, of an error that has one.
    fn code(&self) -> Option<(i32, String)>;
}

impl<T> Outcome for Result<T, sqlx::Error> {
    fn code(&self) -> Option<(i32, String)> {
        self.as_ref().err().and_then(sqlite_code)
    }
}

impl<T> Outcome for Result<T, StoreError> {
    fn code(&self) -> Option<(i32, String)> {
        match self {
            Err(StoreError::Damaged(error) | StoreError::Disk(error)) => sqlite_code(error),
            Err(StoreError::Full) => Some((FULL, String::new())),
            // Bytes that aren't what was written, in rows that `SQLite` finds nothing wrong with.
            Err(
                error @ (StoreError::DamagedMessage { .. }
                | StoreError::DamagedRecord { .. }
                | StoreError::DamagedBlob(_)),
            ) => Some((CORRUPT, error.to_string())),
            _ => None,
        }
    }
}

impl Outcome for () {
    fn code(&self) -> Option<(i32, String)> {
        None
    }
}

fn sqlite_code(error: &sqlx::Error) -> Option<(i32, String)> {
    let error = error.as_database_error()?.try_downcast_ref::<SqliteError>()?;
    let code: i32 = sqlx::error::DatabaseError::code(error)?.parse().ok()?;
    Some((code & 0xff, sqlx::error::DatabaseError::message(error).to_owned()))
}
