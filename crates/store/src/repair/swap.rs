//! Files of a recovery: the swap, and a header to suppose.

use crate::files::{remove_if_there, with_suffix};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Puts `new` in the place of `file`. Returns the name under which the old one is kept.
///
/// The old log goes before the new file comes: beside that it would be taken for its own. Whoever ends in between finds
/// the old file, and its log under the new name.
pub(super) fn put_in_place(file: &Path, new: &Path, suffix: &str) -> std::io::Result<PathBuf> {
    let kept = with_suffix(file, suffix);
    if kept.exists() {
        return Err(std::io::Error::new(
            std::io::ErrorKind::AlreadyExists,
            format!("{} is there already", kept.display()),
        ));
    }
    // Not every file system has links.
    if std::fs::hard_link(file, &kept).is_err() {
        std::fs::copy(file, &kept)?;
    }
    let log = with_suffix(file, "-wal");
    if log.exists() {
        std::fs::rename(&log, with_suffix(&kept, "-wal"))?;
    }
    for left in ["-shm", "-damaged"] {
        remove_if_there(&with_suffix(file, left))?;
    }
    File::open(new)?.sync_all()?;
    std::fs::rename(new, file)?;
    if let Some(dir) = file.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        File::open(dir)?.sync_all()?;
    }
    Ok(kept)
}

/// A page of every database that we made.
const PAGE: u64 = 4096;

/// Copies a file whose header can't be read, and writes one that fits: nothing in it but sizes differs between our
/// databases.
pub(super) fn patch_header(file: &Path, patched: &Path) -> std::io::Result<()> {
    std::fs::copy(file, patched)?;
    let log = with_suffix(file, "-wal");
    if log.exists() {
        std::fs::copy(log, with_suffix(patched, "-wal"))?;
    }
    let mut file = File::options().read(true).write(true).open(patched)?;
    let pages = u32::try_from(file.metadata()?.len() / PAGE).unwrap_or(u32::MAX);
    let mut header = [0_u8; 100];
    file.read_exact(&mut header)?;
    header[..16].copy_from_slice(b"SQLite format 3\0");
    // Size of a page; write-ahead log; no reserved bytes; the fractions that are always these.
    header[16..24].copy_from_slice(&[0x10, 0, 2, 2, 0, 64, 32, 32]);
    header[28..32].copy_from_slice(&pages.to_be_bytes());
    // No free pages: which ones were free is all the same to who reads tables.
    header[32..40].fill(0);
    // The schema's form, and UTF-8.
    header[44..48].copy_from_slice(&4_u32.to_be_bytes());
    header[56..60].copy_from_slice(&1_u32.to_be_bytes());
    // Pages that move when space is given back.
    header[52..56].copy_from_slice(&1_u32.to_be_bytes());
    header[64..68].copy_from_slice(&1_u32.to_be_bytes());
    header[72..92].fill(0);
    // The size holds if these two are the same.
    let counter: [u8; 4] = [header[24], header[25], header[26], header[27]];
    header[92..96].copy_from_slice(&counter);
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header)?;
    file.sync_all()
}
