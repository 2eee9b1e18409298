//! A source: an imported or followed file. Its bytes are stored independently of sessions.

use crate::{Micros, SourceId};
use serde::{Deserialize, Serialize};

/// Reader of a compressed file. The decompressed file is a source of its own, from which sessions are read.
pub const PACKED: &str = "zstd";

/// A file whose bytes are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Our id of the file, in `records` of messages.
    pub id: SourceId,
    /// Absolute path, verbatim.
    pub path: String,
    /// Number of stored bytes.
    pub size: u64,
    /// SHA-256 of the stored bytes, in hex.
    pub sha256: String,
    /// Name of the reader: `claude_code`.
    pub reader: String,
    /// Version of the reader that read the file. A newer one reads it again.
    pub reader_version: i32,
    /// When the file was last changed, if it was read completely.
    pub modified_at: Option<Micros>,
    /// When its bytes were last stored.
    pub imported_at: Micros,
}
