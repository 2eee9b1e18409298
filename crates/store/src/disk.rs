//! The space of a disk.

use std::path::Path;

/// A disk with less is full, whatever an error calls it.
const NOTHING: u64 = 64 << 10;

/// Bytes of a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    pub total: u64,
    /// Bytes that this process may still write.
    pub free: u64,
}

impl DiskSpace {
    /// Returns the space of the disk that a folder is on; None where the system doesn't say.
    pub fn of(dir: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            let disk = rustix::fs::statvfs(dir).ok()?;
            let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
            Some(Self { total: bytes(disk.f_blocks), free: bytes(disk.f_bavail) })
        }
        #[cfg(not(unix))]
        {
            let _ = dir;
            None
        }
    }
    /// Returns true if the disk is full.
    pub(crate) fn is_exhausted(self) -> bool {
        self.free < NOTHING
    }
}
