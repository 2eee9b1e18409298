//! Space on the disk that is kept for the time when it is full: a file in the data directory. It is given up
//! then, so that people can log in and delete, and made again once there is room.

use crate::condition::Monitor;
use crate::disk::DiskSpace;
use crate::files::{private_file, remove_if_there};
use crate::{Store, StoreError};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

/// Most bytes of the reserve.
const SIZE: u64 = 16 << 20;
/// The reserve is no more than this part of the disk.
const PART: u64 = 16;
const BLOCK: usize = 64 << 10;
const NAME: &str = "reserve";
/// How often a look is taken whether there is room again.
const PAUSE: Duration = Duration::from_secs(2);

impl DiskSpace {
    /// Bytes of the reserve on a disk of this size.
    fn reserve(self) -> u64 {
        SIZE.min(self.total / PART)
    }

    /// Is there as much beside the reserve as in it? With less, making it would fill the disk.
    fn has_room(self) -> bool {
        self.free >= 2 * self.reserve()
    }
}

impl Store {
    /// Keeps the reserve for as long as it is polled. A database of `PostgreSQL` is on a disk of its own.
    pub async fn keep_reserve(&self, dir: &Path) {
        let Self::Sqlite(pools) = self else { return };
        let file = dir.join(NAME);
        let mut condition = pools.monitor.subscribe();
        loop {
            let full = condition.borrow_and_update().disk_full;
            if let Err(error) = self.tend(&file, full, &pools.monitor).await {
                tracing::warn!(%error, "the reserve of space can't be kept");
            }
            if pools.monitor.is_disk_full() {
                let _ = tokio::time::timeout(PAUSE, condition.changed()).await;
            } else if condition.changed().await.is_err() {
                return;
            }
        }
    }

    async fn tend(&self, file: &Path, full: bool, monitor: &Monitor) -> Result<(), StoreError> {
        if full && file.exists() {
            tracing::warn!("the disk is full: the reserve is given up, and only what makes room is written");
            std::fs::remove_file(file)?;
            // Pages in the log need space in the file, which is available now.
            self.empty_log().await?;
        }
        let Some(space) = file.parent().and_then(DiskSpace::of) else {
            monitor.set_disk_full(false);
            return Ok(());
        };
        let size = space.reserve();
        if !full && file.metadata().is_ok_and(|found| found.len() >= size) {
            return Ok(());
        }
        if !space.has_room() {
            monitor.set_disk_full(true);
            return Ok(());
        }
        let path = file.to_owned();
        tokio::task::spawn_blocking(move || fill(&path, size)).await.map_err(std::io::Error::other)??;
        if full {
            tracing::info!("there is room on the disk again");
            monitor.set_disk_full(false);
        }
        Ok(())
    }
}

/// Takes `size` bytes of the disk, where it can by a word to the file system, else by bytes that none can compress.
fn fill(path: &Path, size: u64) -> std::io::Result<()> {
    let filled = || {
        let mut file = private_file(path)?;
        #[cfg(target_os = "linux")]
        if rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, size).is_ok() {
            return Ok(());
        }
        let mut block = vec![0_u8; BLOCK];
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..size.div_ceil(BLOCK as u64) {
            for bytes in block.chunks_mut(8) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                bytes.copy_from_slice(&state.to_le_bytes()[..bytes.len()]);
            }
            file.write_all(&block)?;
        }
        Ok(())
    };
    filled().inspect_err(|_| {
        let _ = std::fs::remove_file(path);
    })
}

/// For a start on a full disk, which couldn't even open the database.
pub(crate) fn give_up_if_exhausted(dir: &Path) -> std::io::Result<()> {
    if DiskSpace::of(dir).is_some_and(DiskSpace::is_exhausted) { remove_if_there(&dir.join(NAME)) } else { Ok(()) }
}
