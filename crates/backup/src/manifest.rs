//! The contents of one backup.

use crate::{BackupError, packed};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Raised with each change that an older program can't read.
pub(crate) const FORMAT: u64 = 1;

/// One backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u64,
    /// RFC 3339.
    pub made_at: String,
    /// Version of the program that made it.
    pub version: String,
    /// Number of the database's last migration.
    pub schema: i64,
    pub tables: Vec<TableParts>,
    pub files: Vec<FilePart>,
}

/// All rows of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableParts {
    pub name: String,
    pub columns: Vec<String>,
    pub rows: u64,
    /// Bytes of the rows.
    pub bytes: u64,
    /// [`store::transfer::Chain`] of the parts, in hex.
    pub chain: String,
    /// SHA-256 of the bytes of each part, in hex, in the order of the rows.
    pub parts: Vec<String>,
}

/// A file of the data directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePart {
    pub name: String,
    /// SHA-256 of its bytes, in hex.
    pub part: String,
}

impl Manifest {
    /// Returns how many rows a table has.
    pub fn rows(&self, table: &str) -> u64 {
        self.tables.iter().find(|it| it.name == table).map_or(0, |it| it.rows)
    }

    /// Returns when it was made.
    pub fn made_at(&self) -> Timestamp {
        self.made_at.parse().unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// Returns the bytes of all rows.
    pub fn bytes(&self) -> u64 {
        self.tables.iter().map(|table| table.bytes).sum()
    }

    /// Names of all parts. Some may be there twice.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().map(|file| &*file.part);
        self.tables.iter().flat_map(|table| &table.parts).map(String::as_str).chain(files)
    }

    /// Name of its file: the time at which it was made.
    pub(crate) fn name(&self) -> String {
        self.made_at().strftime("%Y-%m-%dT%H%M%SZ").to_string()
    }

    pub(crate) fn write(&self) -> std::io::Result<Vec<u8>> {
        packed::pack(&serde_json::to_vec(self)?)
    }

    pub(crate) fn read(file: &str, bytes: &[u8]) -> Result<Self, BackupError> {
        #[derive(Deserialize)]
        struct Format {
            format: u64,
        }
        let damaged = |reason: String| BackupError::Damaged { file: file.to_owned(), reason };
        let content = packed::unpack(bytes).map_err(damaged)?;
        let Format { format: found } = serde_json::from_slice(&content).map_err(|error| damaged(error.to_string()))?;
        if found > FORMAT {
            return Err(BackupError::Newer { file: file.to_owned(), found, known: FORMAT });
        }
        serde_json::from_slice(&content).map_err(|error| damaged(error.to_string()))
    }
}
