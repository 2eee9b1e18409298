//! Hashes of JSON.

use crate::basics::hex;
use api::Problem;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// Hash of a request in canonical JSON (RFC 8785): equal requests, whatever the order of their keys.
pub fn create_hash(request: &impl Serialize) -> Result<Vec<u8>, Problem> {
    let mut hash = Sha256::new();
    serde_json_canonicalizer::to_writer(request, &mut hash).map_err(|_| Problem::internal())?;
    Ok(hash.finalize().to_vec())
}

/// Returns [`create_hash`] in hex.
pub fn sha256(value: &impl Serialize) -> Result<String, Problem> {
    create_hash(value).map(|hash| hex(&hash))
}
