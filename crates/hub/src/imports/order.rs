//! Which file of an import comes first. A message belongs to the session that it was read in first, so a fork, which
//! repeats the messages of the session that it was made from, must come after it.

use crate::imports::{open, packed};
use agents::{LONGEST_LINE, first_time, is_copied, last_time};
use model::Micros;
use std::cmp::Reverse;
use std::io::{BufRead as _, BufReader, Read as _, Result, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes at the beginning in which the first time is looked for, and at the end for the last one.
const HEAD: u64 = 16 << 10;
const TAIL: u64 = 64 << 10;

/// Sorts by the first time in each file; of files that begin alike the one that first said something of its own comes
/// first, else the one that ended first. Files without a time come last.
pub fn oldest_first(mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    let known = |time: Option<Micros>| (Reverse(time.is_some()), time);
    let mut timed: Vec<(Option<Micros>, PathBuf)> =
        files.drain(..).map(|file| (head(&file).unwrap_or_default(), file)).collect();
    timed.sort_by(|(a, file), (b, other)| known(*a).cmp(&known(*b)).then_with(|| file.cmp(other)));
    for alike in timed.chunk_by_mut(|(a, _), (b, _)| a.is_some() && a == b) {
        if alike.len() > 1 {
            alike.sort_by_cached_key(|(_, file)| {
                (known(own(file).unwrap_or_default()), known(tail(file).unwrap_or_default()), file.clone())
            });
        }
    }
    timed.into_iter().map(|(_, file)| file).collect()
}

fn head(path: &Path) -> Result<Option<Micros>> {
    let mut bytes = Vec::new();
    packed::plain(open::regular(path)?.file)?.take(HEAD).read_to_end(&mut bytes)?;
    Ok(first_time(&bytes))
}

/// The time of the first line that wasn't copied, unless that is far behind.
fn own(path: &Path) -> Result<Option<Micros>> {
    let mut file = BufReader::new(packed::plain(open::regular(path)?.file)?.take(LONGEST_LINE as u64));
    let mut line = Vec::new();
    while file.read_until(b'\n', &mut line)? > 0 {
        if let Some(time) = first_time(&line).filter(|_| !is_copied(&line)) {
            return Ok(Some(time));
        }
        line.clear();
    }
    Ok(None)
}

fn tail(path: &Path) -> Result<Option<Micros>> {
    let mut file = open::regular(path)?.file;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(last_time(&bytes))
}
