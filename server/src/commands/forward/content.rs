//! The bytes of a file that are sent.

use super::found::Found;
use api::machines::WholeFile;
use hub::imports::database::{ahead_of, is_database};
use model::Micros;
use redact::Redactor;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{
    BufRead as _, BufReader, BufWriter, Error, ErrorKind, Read as _, Result, Seek as _, SeekFrom, Write as _,
};
use std::path::Path;
use std::time::SystemTime;

/// Bytes that are read at a time.
const BLOCK: usize = 1 << 20;
/// Bytes before the end of what was read by which a rewritten file is known.
const TAIL: u64 = 256;
/// The longest line whose secrets are masked, in bytes: its file isn't sent.
const LINE: u64 = 256 << 20;

/// Size, and times of change, by which it is seen that a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub size: u64,
    modified: Option<SystemTime>,
    ahead: Option<(u64, SystemTime)>,
}

impl Stamp {
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        let ahead = ahead_of(path).and_then(|ahead| ahead.metadata().ok());
        let ahead = ahead.and_then(|ahead| Some((ahead.len(), ahead.modified().ok()?)));
        Some(Self { size: metadata.len(), modified: metadata.modified().ok(), ahead })
    }

    /// When the file itself changed last.
    pub fn modified_at(&self) -> Option<Micros> {
        let since = self.modified?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        Some(Micros(i64::try_from(since.as_micros()).ok()?))
    }
}

/// How far a file was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mark {
    /// Bytes of the file itself.
    pub read: u64,
    /// The last of them.
    tail: Vec<u8>,
}

impl Mark {
    fn at(mut file: &File, read: u64) -> Result<Self> {
        let start = read.saturating_sub(TAIL);
        file.seek(SeekFrom::Start(start))?;
        let mut tail = Vec::new();
        file.take(read - start).read_to_end(&mut tail)?;
        Ok(Self { read, tail })
    }

    /// Returns true if the file still begins with what was read of it, by its last bytes.
    fn fits(&self, file: &File) -> bool {
        Self::at(file, self.read).is_ok_and(|now| now == *self)
    }
}

/// Bytes to send.
pub struct Content {
    file: File,
    /// Where its bytes stand in what the server gets.
    base: u64,
    /// Where they end there.
    pub end: u64,
    /// How far the file itself is read with them.
    pub mark: Mark,
    /// True if the server's copy is replaced whenever the file changes.
    pub is_whole: bool,
}

impl Content {
    /// Opens what a file holds now. `since` is how far it was read and sent before: if it only grew, that is left out.
    /// None of a file that can't be sent so: of a database, secrets can't be masked.
    pub async fn open(
        found: &Found,
        stamp: &Stamp,
        redactor: Option<&Redactor>,
        since: Option<(&Mark, u64)>,
    ) -> Result<Option<Self>> {
        let opened = found.open()?;
        let file = opened.file;
        if is_database(&file)? {
            if redactor.is_some() {
                return Ok(None);
            }
            let copy = copy(&opened.real).await?;
            let end = copy.metadata()?.len();
            return Ok(Some(Self { file: copy, base: 0, end, mark: Mark::default(), is_whole: true }));
        }
        let is_whole = !is_appended(&found.path);
        let Some(redactor) = redactor else {
            let end = stamp.size.min(file.metadata()?.len());
            let mark = Mark::at(&file, end)?;
            return Ok(Some(Self { file, base: 0, end, mark, is_whole }));
        };
        let (read, base) =
            since.filter(|(mark, _)| !is_whole && mark.fits(&file)).map_or((0, 0), |(mark, sent)| (mark.read, sent));
        let (masked, read) = masked(&file, read, is_whole, redactor)?;
        let end = base + masked.metadata()?.len();
        let mark = Mark::at(&file, read)?;
        Ok(Some(Self { file: masked, base, end, mark, is_whole }))
    }

    /// Returns true if it goes on from what was sent before.
    pub fn continues(&self, mark: &Mark, sent: u64) -> bool {
        let goes_on = self.base == sent || mark.fits(&self.file);
        !self.is_whole && self.end >= sent && self.base <= sent && goes_on
    }

    /// Reads bytes from an offset on, at most so many.
    pub fn bytes(&mut self, offset: u64, most: usize) -> Result<Vec<u8>> {
        let at = offset.checked_sub(self.base).ok_or(ErrorKind::InvalidInput)?;
        self.file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        (&self.file).take(self.end.saturating_sub(offset).min(most as u64)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the SHA-256 of the first bytes, in hex. None if there are fewer, or they aren't read here.
    pub fn prefix(&mut self, size: u64) -> Result<Option<String>> {
        if self.base > 0 || size > self.end {
            return Ok(None);
        }
        self.file.rewind()?;
        let (mut hash, mut left, mut block) = (Sha256::new(), size, vec![0; BLOCK]);
        while left > 0 {
            let most = usize::try_from(left).map_or(BLOCK, |left| left.min(BLOCK));
            let read = self.file.read(&mut block[..most])?;
            if read == 0 {
                return Ok(None);
            }
            hash.update(&block[..read]);
            left -= read as u64;
        }
        Ok(Some(hub::hex(&hash.finalize())))
    }

    /// Returns size and hash of all of it.
    pub fn whole(&mut self) -> Result<WholeFile> {
        let size = self.end;
        let sha256 = self.prefix(size)?.ok_or_else(|| Error::other("changed while it was read"))?;
        Ok(WholeFile { size, sha256 })
    }
}

/// Agents append lines to such files. They write others anew.
fn is_appended(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "jsonl" || ending == "txt")
}

/// A copy of a database as it is now.
async fn copy(real: &Path) -> Result<File> {
    let folder = tempfile::tempdir()?;
    let target = folder.path().join("copy.db");
    store::foreign::copy(real, &target).await.map_err(|error| Error::other(error.to_string()))?;
    File::open(target)
}

/// What follows a place of a file, with its secrets masked: its whole lines, or all of it. Returns how far it was read.
fn masked(mut file: &File, from: u64, is_whole: bool, redactor: &Redactor) -> Result<(File, u64)> {
    file.seek(SeekFrom::Start(from))?;
    let mut lines = BufReader::new(file);
    let mut masked = BufWriter::new(tempfile::tempfile()?);
    let (mut read, mut line) = (from, Vec::new());
    loop {
        line.clear();
        let len = lines.by_ref().take(LINE).read_until(b'\n', &mut line)? as u64;
        if len == LINE {
            return Err(Error::other("has a line that is too long to be masked"));
        }
        // The rest of a line may come with a secret's other half.
        if len == 0 || (!is_whole && !line.ends_with(b"\n")) {
            break;
        }
        masked.write_all(redactor.text(&String::from_utf8_lossy(&line), &mut |_| {}).as_bytes())?;
        read += len;
    }
    Ok((masked.into_inner().map_err(std::io::IntoInnerError::into_error)?, read))
}
