//! An archive of sessions that Verbatim wrote: `verbatim export --format jsonl`.
//!
//! The file is read twice: first all of it is compared with the hash in its last line, then it is stored in one transaction. A file
//! that is torn or was changed stores nothing.

use super::transcript::Step;
use crate::search_text::search_text;
use crate::{Hub, clock};
use agents::SessionKey;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Error, Read as _, Result, Seek as _};
use store::{ARCHIVE_BEGINS, Batch, StoreError};
use tokio::runtime::Handle;

/// The last line.
#[derive(Debug, Deserialize)]
struct Last {
    end: End,
}

#[derive(Debug, Deserialize)]
struct End {
    lines: u64,
    sha256: String,
}

/// Returns whether a file is an archive, by its first bytes.
pub fn is_archive(mut file: &File) -> Result<bool> {
    file.rewind()?;
    let mut beginning = Vec::new();
    file.take(ARCHIVE_BEGINS.len() as u64).read_to_end(&mut beginning)?;
    Ok(beginning == ARCHIVE_BEGINS.as_bytes())
}

/// Stores the sessions of an archive.
///
/// # Errors
///
/// Fails with a text that goes on from the file's name.
pub fn read(hub: &Hub, runtime: &Handle, mut file: &File) -> Result<Step> {
    let bytes = verify(file)?;
    file.rewind()?;
    let mut lines = BufReader::new(file).lines();
    let mut next = || lines.next().transpose();
    let restored = runtime.block_on(hub.workspace.restore(clock::now(), &mut next, search_text));
    let restored = restored.map_err(|error| match error {
        StoreError::Archive(reason) => Error::other(reason),
        other => Error::other(crate::problem(other).to_string()),
    })?;
    hub.feed.ring(restored.pos);
    Ok(Step {
        batch: Batch { now: clock::now(), ..Batch::default() },
        bytes,
        notes: 0,
        sessions: restored.sessions.iter().map(|id| SessionKey(id.to_string())).collect(),
        restored: restored.messages,
    })
}

/// Compares a file with the hash in its last line. Returns its size.
fn verify(mut file: &File) -> Result<u64> {
    file.rewind()?;
    let mut file = BufReader::new(file);
    let (mut hash, mut lines, mut size) = (Sha256::new(), 0, 0);
    let mut line = Vec::new();
    loop {
        let before = std::mem::take(&mut line);
        size += file.read_until(b'\n', &mut line)? as u64;
        if line.is_empty() {
            let last: Last = serde_json::from_slice(&before).map_err(|_| {
                Error::other("is torn: its last line isn't the end of an archive, so nothing was imported")
            })?;
            let whole = last.end.lines == lines && last.end.sha256 == crate::hex(&hash.finalize());
            return if whole {
                Ok(size)
            } else {
                Err(Error::other("was changed since it was written, so nothing was imported"))
            };
        }
        if !before.is_empty() {
            hash.update(&before);
            lines += 1;
        }
    }
}
