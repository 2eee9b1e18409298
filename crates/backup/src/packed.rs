//! A file of a backup: a zstd frame, and behind it the SHA-256 of the frame's bytes. Whatever bit of it changes is noticed.

use sha2::{Digest as _, Sha256};

/// Most of what is packed is compressed already.
const LEVEL: i32 = 3;
const HASH: usize = 32;

pub(crate) fn pack(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packed = zstd::bulk::compress(content, LEVEL)?;
    let hash = Sha256::digest(&packed);
    packed.extend(hash);
    Ok(packed)
}

/// Returns the content, or why there is none.
pub(crate) fn unpack(file: &[u8]) -> Result<Vec<u8>, String> {
    let (packed, hash) = file.split_at_checked(file.len().saturating_sub(HASH)).unwrap_or_default();
    if hash != Sha256::digest(packed).as_slice() {
        return Err(format!("its {} bytes aren't those that were written", file.len()));
    }
    zstd::decode_all(packed).map_err(|error| error.to_string())
}

/// Returns bytes in hex.
pub(crate) fn hex(bytes: &[u8; 32]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        text.push_str(&format!("{byte:02x}"));
        text
    })
}
