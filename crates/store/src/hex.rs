//! Bytes as text.

/// Returns two lower-case digits for each byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the bytes that two digits each stand for. None where the text is anything else.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |pair: &[u8; 2]| u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok();
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if rest.is_empty() && !pairs.is_empty() { pairs.iter().map(byte).collect() } else { None }
}
