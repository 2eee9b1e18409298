//! A source: one imported or followed file. It owns its bytes, independently of sessions.

use crate::{Micros, SourceId};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    pub id: SourceId,
    /// Absolute path, verbatim.
    pub path: String,
    /// Bytes stored so far.
    pub size: u64,
    /// SHA-256 of these bytes, in hex.
    pub sha256: String,
    /// Which reader: `claude_code`.
    pub reader: String,
    pub reader_version: i32,
    /// When the file was changed last, if it was read to its end and nothing was held back.
    pub modified_at: Option<Micros>,
    pub imported_at: Micros,
}
