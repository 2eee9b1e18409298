//! Backups of a database, and moving one to another engine.
//!
//! A tour, bottom-up:
//! - `error`: what can be wrong, with the file that it is wrong with.
//! - `packed`: a file of a backup: compressed, with the hash of its bytes behind them.
//! - `vault`: where the files of backups lie: a folder, or one tar file.
//! - `manifest`: what one backup consists of.
//! - [`make`] reads a database into a vault; [`check`] reads a vault; [`restore`] and [`move_to`] fill an empty database.
//! - [`Keep`]: which backups of a folder stay.
//!
//! A folder has many backups, which share their parts: a part is named after the hash of its rows, and stored once. Parts
//! are written before the manifest that names them, so that a backup that was cut doesn't exist.
//!
//! How to add one: what else belongs to a backup gets a field of `Manifest`, is written by [`make`], read by [`restore`]
//! and read through by [`check`].

mod check;
mod error;
mod fill;
mod keep;
mod make;
mod manifest;
mod packed;
mod vault;

pub use check::{Checked, check, list};
pub use error::BackupError;
pub use fill::{Filled, move_to, restore};
pub use keep::Keep;
pub use make::{Made, Order, make, outside};
pub use manifest::Manifest;
pub use vault::is_file;

/// How far a transfer is, for people.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    pub table: &'a str,
    /// Rows of all tables so far, and their bytes.
    pub rows: u64,
    pub bytes: u64,
    /// About how many there are.
    pub total: Option<u64>,
}

/// Is told of each part.
pub type Report<'a> = &'a (dyn Fn(Progress<'_>) + Send + Sync);

/// Counts parts, and reports them.
struct Count<'a> {
    report: Report<'a>,
    rows: u64,
    bytes: u64,
    total: Option<u64>,
}

impl<'a> Count<'a> {
    fn new(report: Report<'a>, total: Option<u64>) -> Self {
        Self { report, rows: 0, bytes: 0, total }
    }

    fn add(&mut self, table: &str, rows: u64, bytes: usize) {
        self.rows += rows;
        self.bytes += bytes as u64;
        (self.report)(Progress { table, rows: self.rows, bytes: self.bytes, total: self.total });
    }
}
