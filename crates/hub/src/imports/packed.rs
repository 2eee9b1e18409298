//! A transcript that its agent packed: Codex replaces a rollout at rest by `<rollout>.jsonl.zst`.
//!
//! It is known by the name of the file that was packed, so the two are one source: nothing is read twice when the agent
//! packs what was read already. Where only the packed file was read, its own bytes are stored beside, as a source that
//! no message comes from: they are what is exported.

use crate::basics::clock;
use crate::basics::new_id::new_uuid;
use crate::context::Hub;
use crate::context::retry::retry_transient;
use crate::imports::name::name;
use crate::imports::open::Opened;
use crate::imports::transcript::{Step, modified_at};
use api::Problem;
use model::source::{PACKED, Source};
use model::{Micros, SourceId};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{Error, Read, Result, Seek as _, copy};
use std::path::{Path, PathBuf};
use store::{Batch, RecordChunk, SessionUpsert, SourceBatch};
use tokio::runtime::Handle;
use zstd::Decoder;

/// The first bytes of a Zstandard frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// How the names of packed files end.
const ENDING: &str = "zst";
/// Bytes of a step.
const BLOCK: u64 = 512 << 10;
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

/// The path by which a file is stored: a packed one by that of the file that was packed, unless that lies beside it
/// still.
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

/// Splits a file into what is read, unpacked into a temporary file, and the packed one. None of one that isn't packed.
///
/// # Errors
///
/// Fails with a text that goes on from the file's name.
pub fn unpack(hub: &Hub, runtime: &Handle, path: &Path, opened: Opened) -> Result<(Opened, Option<Packed>)> {
    if !is_packed(&opened.file)? {
        return Ok((opened, None));
    }
    let broken = |error| Error::other(format!("can't be unpacked: {error}"));
    let mut plain = tempfile::tempfile()?;
    let mut decoder = Decoder::new(&opened.file).map_err(broken)?.take(MOST + 1);
    if copy(&mut decoder, &mut plain).map_err(broken)? > MOST {
        return Err(Error::other(format!("unpacks to more than the {} GiB that are read", MOST >> 30)));
    }
    let metadata = opened.file.metadata()?;
    plain.set_modified(metadata.modified()?)?;
    let packed = Packed {
        hub: hub.clone(),
        runtime: runtime.clone(),
        path: path.to_owned(),
        file: opened.file,
        uncounted: metadata.len(),
        is_kept: false,
    };
    Ok((Opened { file: plain, real: opened.real }, Some(packed)))
}

/// A packed file whose content is being read.
pub struct Packed {
    hub: Hub,
    runtime: Handle,
    path: PathBuf,
    file: File,
    /// Its bytes, until a step has counted them.
    uncounted: u64,
    is_kept: bool,
}

/// Hands out a step of a file: that of a packed one counts its own bytes, all with the first one. Before the first one
/// with a session, the packed file itself is stored, if nothing of it is `known`.
///
/// # Errors
///
/// Fails when the file can't be read, or when `each` fails.
pub fn pass(
    packed: &mut Option<Packed>,
    known: bool,
    step: Step,
    each: &mut dyn FnMut(Step) -> Result<()>,
) -> Result<()> {
    let Some(packed) = packed else { return each(step) };
    if !known && !packed.is_kept && !step.batch.sessions.is_empty() {
        packed.is_kept = true;
        packed.keep(&step.batch.sessions, each)?;
    }
    each(Step { bytes: std::mem::take(&mut packed.uncounted), ..step })
}

impl Packed {
    /// Stores its bytes, which belong to these sessions.
    fn keep(&mut self, sessions: &[SessionUpsert], each: &mut dyn FnMut(Step) -> Result<()>) -> Result<()> {
        let masks = self.runtime.block_on(retry_transient(&self.hub, || self.hub.workspace.masks()));
        if !masks.map_err(super::failed)?.is_empty() {
            // A text that was erased can't be covered in it.
            return Ok(());
        }
        let path = name(&self.path);
        let old = self.runtime.block_on(retry_transient(&self.hub, || self.hub.workspace.source_by_path(&path)));
        let old = old.map_err(super::failed)?;
        let metadata = self.file.metadata()?;
        let mut source = SourceBatch {
            replace: old.is_some(),
            id: old.map_or_else(|| SourceId::from_uuid(new_uuid()), |old| old.id),
            path,
            reader: PACKED.to_owned(),
            reader_version: 1,
            append: Vec::new(),
            size: 0,
            sha256: String::new(),
            modified_at: None,
        };
        let mut hasher = Sha256::new();
        self.file.rewind()?;
        while source.size < metadata.len() {
            let mut bytes = Vec::new();
            (&self.file).take(BLOCK).read_to_end(&mut bytes)?;
            if bytes.is_empty() {
                return Err(Error::other("was written to while it was read"));
            }
            hasher.update(&bytes);
            let offset = source.size;
            source.size += bytes.len() as u64;
            source.sha256 = crate::basics::hex(&hasher.clone().finalize());
            source.append = vec![RecordChunk { offset, bytes }];
            source.modified_at = if source.size == metadata.len() { modified_at(&metadata) } else { None };
            let batch = Batch {
                now: clock::now(),
                source: Some(source.clone()),
                sessions: sessions.to_vec(),
                ..Batch::default()
            };
            source.replace = false;
            each(Step { batch, bytes: 0, notes: 0, sessions: Vec::new(), restored: 0 })?;
        }
        Ok(())
    }
}

impl Hub {
    /// The packed file from which the source at this path was read. None where there is none, or where the source has
    /// gone on since.
    ///
    /// # Errors
    ///
    /// Fails when the store can't be read.
    pub async fn packed(&self, path: &str) -> std::result::Result<Option<Source>, Problem> {
        let of = async |path: &str| self.workspace.source_by_path(path).await.map_err(crate::basics::problem);
        let Some(packed) = of(&format!("{path}.{ENDING}")).await?.filter(|packed| packed.reader == PACKED) else {
            return Ok(None);
        };
        let source = of(path).await?;
        let is_whole =
            source.is_some_and(|source| source.modified_at.is_some() && source.modified_at == packed.modified_at);
        Ok(Some(packed).filter(|_| is_whole))
    }
}
