//! The one place that opens files of agents.
//!
//! Whoever can write to a followed folder may put there what isn't a transcript: a pipe that nobody writes to, a device
//! without end, a link to a file of somebody else. So a file is opened by its real path, none of whose parts is a link,
//! and only if it is a regular file; opening never waits. What was opened is known by that path, whatever is renamed
//! meanwhile.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read as _, Result};
use std::path::{Path, PathBuf};

/// Bytes of a file that is read whole. Those that lie beside transcripts have a few hundred.
pub const SMALL: u64 = 1 << 20;

/// An open regular file.
pub struct Opened {
    pub file: File,
    /// Where it really lies: absolute, without links.
    pub real: PathBuf,
}

/// Opens what a path leads to. Whether its real place may be read is for the caller to find out.
pub fn regular(path: &Path) -> Result<Opened> {
    exact(path.canonicalize()?)
}

/// Opens a file by its real path: it fails where a part of the path is a link, or the file isn't a regular one.
pub fn exact(real: PathBuf) -> Result<Opened> {
    let file = open(&real)?;
    if file.metadata()?.is_file() { Ok(Opened { file, real }) } else { Err(refused(NO_FILE)) }
}

/// Reads a file by its real path, if it has no more bytes than these.
pub fn up_to(real: PathBuf, most: u64) -> Result<Vec<u8>> {
    let Opened { file, .. } = exact(real)?;
    let mut bytes = Vec::new();
    // It may grow while it is read.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(refused(TOO_LARGE)) } else { Ok(bytes) }
}

/// Why a file that lies beside a transcript isn't read.
pub const TOO_LARGE: &str = "has more than 1 MiB";

/// Why what lies at a path can't be read, if it is neither a regular file nor a link: "is a named pipe". It isn't
/// opened.
pub fn special(path: &Path) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use rustix::fs::FileType;
        let kind = FileType::from_raw_mode(rustix::fs::lstat(path).ok()?.st_mode);
        unreadable(kind).filter(|_| kind != FileType::Symlink)
    }
    #[cfg(not(unix))]
    {
        let kind = path.symlink_metadata().ok()?.file_type();
        (!kind.is_file() && !kind.is_symlink()).then_some(NO_FILE)
    }
}

const NO_FILE: &str = "is no regular file";

#[cfg(unix)]
fn unreadable(kind: rustix::fs::FileType) -> Option<&'static str> {
    use rustix::fs::FileType;
    match kind {
        FileType::RegularFile => None,
        FileType::Fifo => Some("is a named pipe"),
        FileType::Socket => Some("is a socket"),
        FileType::CharacterDevice | FileType::BlockDevice => Some("is a device"),
        FileType::Directory => Some("is a folder"),
        FileType::Symlink => Some("is a link"),
        FileType::Unknown => Some(NO_FILE),
    }
}

fn refused(why: &str) -> Error {
    Error::new(ErrorKind::InvalidInput, why)
}

/// Returns true if a path is still the file that was opened.
pub fn is_same(now: &Metadata, opened: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (now.dev(), now.ino()) == (opened.dev(), opened.ino())
    }
    #[cfg(not(unix))]
    {
        now.created().ok() == opened.created().ok()
    }
}

/// Part by part, so that no part is a link that was put there after the path was looked up.
#[cfg(unix)]
fn open(real: &Path) -> Result<File> {
    use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
    use std::path::Component;
    /// Enough to go on from: a folder that may be entered need not be readable.
    #[cfg(target_os = "linux")]
    const ENTER: OFlags = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    const ENTER: OFlags = OFlags::RDONLY;
    let folder = ENTER.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
    let mut at = rustix::fs::open("/", folder, Mode::empty())?;
    let mut parts = real.components().filter(|part| *part != Component::RootDir).peekable();
    while let Some(part) = parts.next() {
        let Component::Normal(part) = part else { return Err(refused("isn't a real path")) };
        if parts.peek().is_some() {
            at = openat(&at, part, folder, Mode::empty())?;
            continue;
        }
        // To open a device may do something by itself.
        let found = statat(&at, part, AtFlags::SYMLINK_NOFOLLOW)?;
        if let Some(why) = unreadable(FileType::from_raw_mode(found.st_mode)) {
            return Err(refused(why));
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        return Ok(openat(&at, part, flags, Mode::empty())?.into());
    }
    Err(refused("is a folder"))
}

#[cfg(not(unix))]
fn open(real: &Path) -> Result<File> {
    let file = File::open(real)?;
    if real.canonicalize()? == real { Ok(file) } else { Err(refused("leads elsewhere")) }
}
