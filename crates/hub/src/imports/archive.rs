//! An archive of sessions that Verbatim wrote: `verbatim export --format jsonl`.
//!
//! The file is read twice: first all of it is compared with the hash in its last line, then it is stored in one
//! transaction. A file that is torn or was changed stores nothing.

use crate::basics::clock;
use crate::context::Hub;
use crate::derived::reindex::DERIVE;
use crate::imports::transcript::Step;
use agents::SessionKey;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Error, Read as _, Result, Seek as _};
use store::{ARCHIVE_BEGINS, Batch, StoreError};
use tokio::runtime::Handle;

/// The longest line, in bytes: that of a message of 16 MiB whose characters are all written out has less.
const LONGEST: u64 = 128 << 20;
/// Bytes that are read of the last line, which has fewer.
const LAST: usize = 4096;

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
    let restored = runtime.block_on(hub.workspace.restore(clock::now(), &mut next, DERIVE));
    let restored = restored.map_err(|error| match error {
        StoreError::Archive(reason) => Error::other(reason),
        other => super::failed(other),
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

/// Compares a file with the hash in its last line, and its lines with their limit. Returns its size.
fn verify(mut file: &File) -> Result<u64> {
    file.rewind()?;
    let mut file = BufReader::new(file);
    let (mut size, mut lines) = (0, 0);
    let mut hash = Sha256::new();
    // Up to the line that is read, and of that line what the last one may have.
    let (mut before, mut line, mut len) = (hash.clone(), Vec::new(), 0);
    let mut last = None;
    loop {
        let bytes = file.fill_buf()?;
        let end = bytes.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let piece = &bytes[..end.unwrap_or(bytes.len())];
        let read = piece.len();
        if read > 0 {
            hash.update(piece);
            line.extend(piece.iter().take(LAST.saturating_sub(line.len())));
            len += read as u64;
            size += read as u64;
        }
        if len > LONGEST {
            return Err(Error::other(format!(
                "has a line of more than {} MiB, so nothing was imported",
                LONGEST >> 20
            )));
        }
        file.consume(read);
        if len > 0 && (end.is_some() || read == 0) {
            last = Some((std::mem::take(&mut line), std::mem::replace(&mut before, hash.clone()), lines));
            (len, lines) = (0, lines + 1);
        }
        if read == 0 {
            break;
        }
    }
    let torn = || Error::other("is torn: its last line isn't the end of an archive, so nothing was imported");
    let (line, hash, lines) = last.ok_or_else(torn)?;
    let last: Last = serde_json::from_slice(&line).map_err(|_| torn())?;
    if last.end.lines == lines && last.end.sha256 == crate::basics::hex(&hash.finalize()) {
        Ok(size)
    } else {
        Err(Error::other("was changed since it was written, so nothing was imported"))
    }
}
