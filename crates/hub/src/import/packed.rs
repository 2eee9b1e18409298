//! A transcript that its agent packed: Codex replaces a rollout at rest by `<rollout>.jsonl.zst`.
//!
//! It is known by the name of the file that was packed, so the two are one source: nothing is read twice when the agent packs what was
//! read already. What is stored, and exported again, is the file that was packed.

use super::transcript::Step;
use crate::files::open::Opened;
use model::Micros;
use model::source::Source;
use std::fs::File;
use std::io::{Error, Read, Result, Seek as _, copy};
use std::path::{Path, PathBuf};
use zstd::Decoder;

/// What each frame of Zstandard begins with.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// How the names of packed files end.
const ENDING: &str = "zst";
/// The most bytes that are unpacked: a few thousand may stand for as many as there are.
const MOST: u64 = 4 << 30;

/// Returns whether a file is packed, by its first bytes.
fn is_packed(mut file: &File) -> Result<bool> {
    file.rewind()?;
    let mut beginning = Vec::new();
    file.take(MAGIC.len() as u64).read_to_end(&mut beginning)?;
    file.rewind()?;
    Ok(beginning == MAGIC)
}

/// The bytes of a file as it was before it was packed.
///
/// # Errors
///
/// Fails when the file can't be read.
pub fn plain(file: File) -> Result<Box<dyn Read>> {
    Ok(if is_packed(&file)? { Box::new(Decoder::new(file)?) } else { Box::new(file) })
}

/// The path by which a file is stored: a packed one by that of the file that was packed, unless that lies beside it still.
pub fn stored_path(path: &Path) -> PathBuf {
    let plain = path.with_extension("");
    if has_packed_name(path) && !plain.is_file() { plain } else { path.to_owned() }
}

/// Whether the file that was packed still lies beside this one. Where files are followed, that one counts.
pub fn is_spare(path: &Path) -> bool {
    has_packed_name(path) && path.with_extension("").is_file()
}

fn has_packed_name(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == ENDING)
}

/// Returns whether a file of this size and time was read to its end. The size of a packed one isn't that of its source.
pub fn is_read(path: &Path, source: &Source, size: u64, modified_at: Option<Micros>) -> bool {
    (source.size == size || has_packed_name(path)) && source.modified_at.is_some() && source.modified_at == modified_at
}

/// The file that was packed into another one, in a temporary file. None if the other isn't packed.
///
/// # Errors
///
/// Fails with a text that goes on from the file's name.
pub fn unpacked(opened: &Opened) -> Result<Option<Opened>> {
    if !is_packed(&opened.file)? {
        return Ok(None);
    }
    let broken = |error| Error::other(format!("can't be unpacked: {error}"));
    let mut plain = tempfile::tempfile()?;
    let mut decoder = Decoder::new(&opened.file).map_err(broken)?.take(MOST + 1);
    if copy(&mut decoder, &mut plain).map_err(broken)? > MOST {
        return Err(Error::other(format!("unpacks to more than the {} GiB that are read", MOST >> 30)));
    }
    plain.set_modified(opened.file.metadata()?.modified()?)?;
    Ok(Some(Opened { file: plain, real: opened.real.clone() }))
}

/// The steps of a packed file count its own bytes, all with the first one.
pub fn counted(step: Step, packed: &mut Option<u64>) -> Step {
    match packed {
        Some(bytes) => Step { bytes: std::mem::take(bytes), ..step },
        None => step,
    }
}
