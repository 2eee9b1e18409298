//! A short hash for addresses, the same in the browser and on the server.

/// Returns the FNV-1a hash of a text as eight hexadecimal digits.
pub fn text_hash(text: &str) -> String {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("{hash:08x}")
}
