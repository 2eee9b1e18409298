//! A source: one imported or followed file. It owns its bytes, independently of sessions.

use crate::{Micros, SourceId};
use serde::{Deserialize, Serialize};

/// The reader of a packed file, as it lies on the disk. What was packed is a source of its own, from which its sessions are read.
pub const PACKED: &str = "zstd";

/// A file whose bytes are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Ours; it names the file in `records` of messages.
    pub id: SourceId,
    /// Absolute path, verbatim.
    pub path: String,
    /// Bytes stored so far.
    pub size: u64,
    /// SHA-256 of these bytes, in hex.
    pub sha256: String,
    /// Which reader: `claude_code`.
    pub reader: String,
    /// The reader's version when it read the file. The file is read anew by a newer one.
    pub reader_version: i32,
    /// When the file was changed last, if it was read to its end and nothing was held back.
    pub modified_at: Option<Micros>,
    /// When its bytes were stored last.
    pub imported_at: Micros,
}
