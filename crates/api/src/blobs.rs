//! Uploaded files, addressed by their content.

use serde::{Deserialize, Serialize};

/// Size limit of an upload, in bytes: 64 MiB.
pub const MOST_BYTES: usize = 64 << 20;

/// A stored file. `blob`, `mime` and `size` can be copied to a FILE message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlobMade {
    /// `sha256:` and the digest in hex.
    pub blob: String,
    /// The `Content-Type` of the upload; `application/octet-stream` if it had none.
    pub mime: String,
    /// Size in bytes.
    pub size: u64,
}
