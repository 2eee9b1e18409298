//! How a message and its references lie in a row.
//!
//! A message's body is its draft as JSON: one byte 0 and the JSON, or one byte 1, the length of the JSON (four bytes,
//! little-endian) and a zstd frame. References are numbers of seven bits per byte: source, offset, length.

use crate::StoreError;
use model::Draft;
use sha2::{Digest as _, Sha256};
use std::cell::RefCell;
use std::io::Cursor;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::compress_bound;

const PLAIN: u8 = 0;
const ZSTD: u8 = 1;
const LEVEL: i32 = 1;
/// Bytes before a frame.
const HEAD: usize = 5;
/// Shorter bodies gain little.
const COMPRESS_FROM: usize = 384;
/// Bytes of a source that are compressed together. Reading a record decompresses one or two of these.
pub(crate) const CHUNK: usize = 128 * 1024;

/// Packs many blobs with one compressor.
pub(crate) struct Packer(Compressor<'static>);

impl Packer {
    pub(crate) fn new() -> Result<Self, StoreError> {
        Ok(Self(Compressor::new(LEVEL)?))
    }

    pub(crate) fn pack(&mut self, plain: &[u8]) -> Result<Vec<u8>, StoreError> {
        if plain.len() >= COMPRESS_FROM
            && let Ok(len) = u32::try_from(plain.len())
        {
            // The frame is written behind its head: a copy of it would be as long as a message.
            let mut packed = Vec::with_capacity(HEAD + compress_bound(plain.len()));
            packed.push(ZSTD);
            packed.extend_from_slice(&len.to_le_bytes());
            let mut end = Cursor::new(packed);
            end.set_position(HEAD as u64);
            self.0.compress_to_buffer(plain, &mut end)?;
            let mut packed = end.into_inner();
            if packed.len() < plain.len() {
                packed.shrink_to_fit();
                return Ok(packed);
            }
        }
        let mut packed = Vec::with_capacity(plain.len() + 1);
        packed.push(PLAIN);
        packed.extend_from_slice(plain);
        Ok(packed)
    }
}

/// Lends this thread's packer: a new one would cost more than a message.
pub(crate) fn with_packer<T>(work: impl FnOnce(&mut Packer) -> Result<T, StoreError>) -> Result<T, StoreError> {
    thread_local! {
        static PACKER: RefCell<Option<Packer>> = const { RefCell::new(None) };
    }
    PACKER.with_borrow_mut(|kept| {
        let packer = match kept {
            Some(packer) => packer,
            None => kept.insert(Packer::new()?),
        };
        work(packer)
    })
}

/// Bytes that [`unpack`] gives.
pub(crate) fn unpacked_len(packed: &[u8]) -> u64 {
    match packed.split_first() {
        Some((&ZSTD, rest)) => rest.first_chunk::<4>().map_or(0, |len| u64::from(u32::from_le_bytes(*len))),
        Some((_, plain)) => plain.len() as u64,
        None => 0,
    }
}

pub(crate) fn unpack(packed: &[u8]) -> Result<Vec<u8>, StoreError> {
    match packed.split_first() {
        Some((&PLAIN, plain)) => Ok(plain.to_vec()),
        Some((&ZSTD, rest)) => {
            let (len, frame) = rest.split_first_chunk::<4>().ok_or_else(|| corrupt("a packed blob is cut short"))?;
            decompress(frame, u32::from_le_bytes(*len) as usize)
        }
        _ => Err(corrupt("a packed blob has an unknown form")),
    }
}

/// Decompresses with this thread's decompressor: a new one would cost more than most messages.
fn decompress(frame: &[u8], len: usize) -> Result<Vec<u8>, StoreError> {
    thread_local! {
        static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
    }
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(Decompressor::new()?),
        };
        Ok(decompressor.decompress(frame, len)?)
    })
}

pub(crate) fn unpack_draft(packed: &[u8]) -> Result<Draft, StoreError> {
    serde_json::from_slice(&unpack(packed)?).map_err(|error| corrupt(&format!("a message: {error}")))
}

/// A reference to bytes of a source, by the source's rid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reference {
    pub source: i64,
    pub offset: u64,
    pub len: u64,
}

impl Reference {
    /// Returns true if all bytes of the other one are among its bytes.
    pub(crate) fn covers(self, other: Self) -> bool {
        self.source == other.source
            && self.offset <= other.offset
            && other.offset.saturating_add(other.len) <= self.offset.saturating_add(self.len)
    }
}

pub(crate) fn pack_references(references: &[Reference]) -> Vec<u8> {
    let mut out = Vec::with_capacity(references.len() * 8);
    for reference in references {
        for mut number in [reference.source.cast_unsigned(), reference.offset, reference.len] {
            while number >= 0x80 {
                out.push(number as u8 | 0x80);
                number >>= 7;
            }
            out.push(number as u8);
        }
    }
    out
}

pub(crate) fn unpack_references(packed: &[u8]) -> Result<Vec<Reference>, StoreError> {
    let mut bytes = packed.iter();
    let mut references = Vec::new();
    while !bytes.as_slice().is_empty() {
        let mut next = || {
            let mut number = 0_u64;
            for shift in (0..64).step_by(7) {
                let byte = bytes.next().ok_or_else(|| corrupt("a reference is cut short"))?;
                number |= u64::from(byte & 0x7f) << shift;
                if byte & 0x80 == 0 {
                    return Ok(number);
                }
            }
            Err(corrupt("a reference is too long"))
        };
        references.push(Reference { source: next()?.cast_signed(), offset: next()?, len: next()? });
    }
    Ok(references)
}

fn corrupt(what: &str) -> StoreError {
    StoreError::Corrupt(what.to_owned())
}

/// Tells whether a message differs from what is stored.
pub(crate) fn content_hash(display: i16, json: &[u8]) -> Vec<u8> {
    let mut hasher = Sha256::new();
    hasher.update(display.to_le_bytes());
    hasher.update(json);
    hasher.finalize()[..16].to_vec()
}
