//! How many tokens a text has, about: an estimate that is meant to stay below what models count.
//!
//! Tokenizers differ by vendor and model. Measured over real sessions, a token of Anthropic's models has 2.5 to 4.2 bytes of English,
//! code and JSON. The estimate takes four ASCII bytes for a token, and one token for each other character.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// ASCII bytes of a token.
const ASCII: u64 = 4;
/// Tokens of a picture whose size isn't known.
const PICTURE: i64 = 200;
/// Pixels of a token, and the most tokens of a picture.
const PIXELS: u64 = 750;
const MOST: u64 = 1_600;
/// Base64 characters in which the size of a picture is looked for.
const HEAD: usize = 64 << 10;

/// Estimates the tokens of a text.
pub fn estimate(text: &str) -> i64 {
    let (mut ascii, mut other) = (0_u64, 0_u64);
    for c in text.chars() {
        if c.is_ascii() { ascii += 1 } else { other += 1 }
    }
    i64::try_from((ascii / ASCII).saturating_add(other)).unwrap_or(i64::MAX)
}

/// Estimates the tokens of a picture in Base64.
pub(super) fn picture(base64: &str) -> i64 {
    let head = base64.get(..base64.len().min(HEAD) & !3).unwrap_or_default();
    let Some((width, height)) = STANDARD.decode(head).ok().and_then(|bytes| size(&bytes)) else { return PICTURE };
    i64::try_from((u64::from(width) * u64::from(height) / PIXELS).min(MOST)).unwrap_or(PICTURE)
}

/// Width and height in pixels, of PNG and JPEG.
fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        return Some((number(16)?, number(20)?));
    }
    let word = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let mut at = 2;
    bytes.starts_with(b"\xff\xd8").then_some(())?;
    loop {
        match word(at)? {
            // The frames of a JPEG; those between are tables.
            0xffc0..=0xffc3 | 0xffc5..=0xffc7 | 0xffc9..=0xffcb | 0xffcd..=0xffcf => {
                return Some((u32::from(word(at + 7)?), u32::from(word(at + 5)?)));
            }
            0xff00.. => at += 2 + usize::from(word(at + 2)?),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{estimate, picture};
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    #[test]
    fn four_bytes_of_ascii_or_one_other_character_are_a_token() {
        assert_eq!((estimate(""), estimate("abcdefgh"), estimate("äöü")), (0, 2, 3));
    }

    #[test]
    fn a_picture_counts_by_its_pixels() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend(300_u32.to_be_bytes());
        png.extend(250_u32.to_be_bytes());
        assert_eq!(picture(&STANDARD.encode(&png)), 100);
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08\0\xfa\x01\x2c";
        assert_eq!(picture(&STANDARD.encode(jpeg)), 100);
        assert_eq!(picture("R0lG"), 200);
    }
}
