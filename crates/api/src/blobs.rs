//! Files by their content.

use serde::{Deserialize, Serialize};

/// Largest file that is taken.
pub const MOST_BYTES: usize = 64 << 20;

/// Bytes that are kept now, or were already. `blob`, `mime` and `size` go into a FILE message as they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlobMade {
    /// `sha256:` and the digest in hex.
    pub blob: String,
    /// The type that was said with the upload; `application/octet-stream` if none was.
    pub mime: String,
    /// In bytes.
    pub size: u64,
}
