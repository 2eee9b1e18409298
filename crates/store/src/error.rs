//! Errors of the store.

use model::SourceId;
use sqlx::error::DatabaseError;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the database is of a newer version (schema {found}, this program knows {known})")]
    Newer { found: i64, known: i64 },
    /// It is filled from a backup or another database.
    #[error("the database isn't complete: a transfer into it was cut")]
    Incomplete,
    #[error(
        "it must be updated for this version, and the disk has no room for a copy before that: {} MB are needed, {} MB are free",
        .needed.div_ceil(MB),
        .free / MB
    )]
    NoRoomForCopy { needed: u64, free: u64 },
    /// Holds why.
    #[error("it must be updated for this version, and can't be copied before that: {0}")]
    NoCopy(String),
    #[error("the database is locked by another process")]
    Locked,
    #[error("the disk is full")]
    Full,
    #[error("the database can't be written to")]
    ReadOnly,
    #[error("the disk that holds the database can't be read or written")]
    Disk(#[source] sqlx::Error),
    #[error("the database can't be reached")]
    Unreachable(#[source] sqlx::Error),
    #[error("the file is damaged, or isn't a database")]
    Damaged(#[source] sqlx::Error),
    /// Nothing is written to a damaged database. Holds what was found.
    #[error("the database is damaged, and nothing is written to it ({0})")]
    Protected(String),
    #[error("SQLite {found} is too old: at least {needed} is needed")]
    OldSqlite { found: String, needed: &'static str },
    #[error("stored data can't be read: {0}")]
    Corrupt(String),
    #[error("message {seq} of session `{session}` is damaged")]
    DamagedMessage { session: String, seq: i64 },
    #[error("{len} bytes at {offset} of source `{source_id}` are damaged")]
    DamagedRecord { source_id: SourceId, offset: u64, len: u64 },
    /// A recovery of the database left them out.
    #[error("{len} bytes at {offset} of source `{source_id}` were lost when the database was damaged")]
    LostRecord { source_id: SourceId, offset: u64, len: u64 },
    #[error("the bytes of blob `sha256:{0}` are damaged")]
    DamagedBlob(String),
    #[error("bytes of source `{source_id}` must go on at {expected}, not at {found}")]
    Gap { source_id: SourceId, expected: u64, found: u64 },
    #[error("`{0}` is not followed")]
    NotFollowed(String),
    #[error("session `{0}` isn't of this machine")]
    OtherMachine(String),
    #[error("a text was erased while this was read: read it again")]
    TextErased,
    #[error("the batch doesn't hold {0}")]
    Unknown(String),
    /// It isn't what was written, or can't be stored here.
    #[error("the archive can't be read: {0}")]
    Archive(String),
    #[error("`{0}` isn't a cursor of this list")]
    Cursor(String),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Database(sqlx::Error),
    #[error(transparent)]
    Migrate(sqlx::migrate::MigrateError),
}

/// Bytes.
const MB: u64 = 1_000_000;

/// Advice for a damaged file.
const REPAIR: &str = "Stop the server and run `verbatim doctor --repair`: it recovers readable data to a new file, and keeps the damaged one. Or restore a backup";

/// `PostgreSQL`'s code of a full disk.
const PG_DISK_FULL: &str = "53100";
/// Its code of a write where only reading is allowed.
const PG_READ_ONLY: &str = "25006";
/// Classes of its codes for connections that broke, and servers that end or begin.
const POSTGRES_GONE: [&str; 2] = ["08", "57P0"];
/// Its code of a transaction that stood still for too long, as that of a server which was paused: its connection is
/// gone.
const POSTGRES_STOOD_STILL: &str = "25P03";
/// Its codes for what others hold: a lock that wasn't given up in time, a statement that took too long, transactions
/// that were in each other's way.
const POSTGRES_HELD: [&str; 4] = ["55P03", "57014", "40001", "40P01"];
/// `SQLite`'s primary result codes, the low byte of an extended one.
const SQLITE_BUSY: i64 = 5;
const SQLITE_LOCKED: i64 = 6;
const SQLITE_READONLY: i64 = 8;
const SQLITE_IOERR: i64 = 10;
const SQLITE_CORRUPT: i64 = 11;
const SQLITE_FULL: i64 = 13;
const SQLITE_CANTOPEN: i64 = 14;
const SQLITE_NOTADB: i64 = 26;

impl StoreError {
    /// Returns true if an equal write may succeed a little later.
    pub fn passes(&self) -> bool {
        matches!(self, Self::Locked | Self::Unreachable(_))
    }

    /// Returns true if all other writes would fail now too.
    pub fn is_everybodys(&self) -> bool {
        use StoreError::{Damaged, Disk, Full, Locked, Protected, ReadOnly, Unreachable};
        matches!(self, Locked | Full | ReadOnly | Disk(_) | Unreachable(_) | Damaged(_) | Protected(_))
    }

    /// Returns advice for a person, if there is any.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Incomplete => {
                Some("Repeat the command that fills it: it goes on where it stopped. Or make an empty database")
            }
            Self::Newer { .. } => Some(
                "Update Verbatim, or name another folder with `--data-dir`. `verbatim.db.before-...` in the data directory is a copy from before the update",
            ),
            Self::NoRoomForCopy { .. } => Some(
                "Free some disk space and start again; nothing was changed. `verbatim serve --no-update-copy` updates without a copy: copy the database to another disk first",
            ),
            Self::NoCopy(_) => Some(
                "Check the disk and start again; nothing was changed. `verbatim serve --no-update-copy` updates without a copy: copy the database to another disk first",
            ),
            Self::Locked => Some("Try again when the other process is done"),
            Self::Full => Some("Free some disk space and try again; stored data isn't lost"),
            Self::ReadOnly => Some(
                "Check that the data directory and the files in it belong to you and that its disk isn't mounted read-only",
            ),
            Self::Disk(_) => Some(
                "Check that the disk is mounted, has space and supports files of this size, and try again; stored data isn't lost",
            ),
            Self::Unreachable(_) => {
                Some("Check that the database server is running, and repeat the request with the same id")
            }
            Self::Damaged(_) | Self::Protected(_) => Some(REPAIR),
            Self::DamagedMessage { .. } | Self::DamagedRecord { .. } | Self::DamagedBlob(_) => {
                Some("Other data can be read. Stop the server and run `verbatim doctor`, which lists all damaged data")
            }
            Self::LostRecord { .. } => Some("Other data can be read. Import the file again if it still exists"),
            _ => None,
        }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let Some(code) = error.as_database_error().and_then(DatabaseError::code).map(std::borrow::Cow::into_owned)
        else {
            return match error {
                sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                // An answer that breaks off.
                | sqlx::Error::Protocol(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed => Self::Unreachable(error),
                _ => Self::Database(error),
            };
        };
        let gone = POSTGRES_GONE.iter().any(|class| code.starts_with(class)) && code.len() == 5;
        if gone || code == POSTGRES_STOOD_STILL {
            return Self::Unreachable(error);
        }
        if POSTGRES_HELD.contains(&code.as_str()) {
            return Self::Locked;
        }
        if code == PG_DISK_FULL {
            return Self::Full;
        }
        if code == PG_READ_ONLY {
            return Self::ReadOnly;
        }
        // PostgreSQL's codes have five characters, and those that are digits only are no SQLite code.
        let sqlite = if code.len() < 5 { code.parse::<i64>().ok() } else { None };
        match sqlite.map(|code| code & 0xff) {
            Some(SQLITE_BUSY | SQLITE_LOCKED) => Self::Locked,
            Some(SQLITE_FULL) => Self::Full,
            Some(SQLITE_READONLY) => Self::ReadOnly,
            Some(SQLITE_IOERR | SQLITE_CANTOPEN) => Self::Disk(error),
            Some(SQLITE_CORRUPT | SQLITE_NOTADB) => Self::Damaged(error),
            _ => Self::Database(error),
        }
    }
}
