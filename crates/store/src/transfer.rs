//! A whole database as parts of rows, the same on either engine: for backups, and to move from one engine to the other.
//!
//! [`Source`] reads every table in the order of its key, from one snapshot. [`Target`] fills an empty database of the same
//! schema. The index of words is left out: it is written anew from the messages.
//!
//! A part is a sequence of CBOR arrays (RFC 8949), one per row, with the cells in the order of [`Table::columns`]. Where
//! one part ends depends on the rows near its end alone, so that equal rows are in equal parts, whatever stands before
//! them: a backup that is repeated stores only what changed. [`Chain`] sums up the parts of a table.

mod catalog;
mod rows;
mod source;
mod target;

pub use catalog::Table;
pub use rows::{Part, count};
pub use source::Source;
pub(crate) use target::has_begun;
pub use target::{Target, TransferError};

use sha2::{Digest as _, Sha256};

/// The hash of a table's parts: SHA-256 of the chain before and of the part's own hash. Equal rows have equal chains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chain(pub [u8; 32]);

impl Chain {
    /// Adds the SHA-256 of the next part.
    pub fn add(&mut self, part: &[u8; 32]) {
        self.0 = Sha256::new().chain_update(self.0).chain_update(part).finalize().into();
    }
}
