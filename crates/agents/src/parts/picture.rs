//! Which picture bytes are, by their first ones; and whether they are all there, as far as that is told without decoding.

/// The media type of a whole picture. None for other bytes, and for a picture that was cut off.
pub(crate) fn format(bytes: &[u8]) -> Option<&'static str> {
    let begins = |mark: &[u8]| bytes.starts_with(mark);
    if begins(b"\x89PNG\r\n\x1a\n") {
        is_whole_png(bytes).then_some("image/png")
    } else if begins(b"\xff\xd8\xff") {
        memchr::memmem::rfind(bytes, b"\xff\xd9").map(|_| "image/jpeg")
    } else if begins(b"GIF87a") || begins(b"GIF89a") {
        bytes.contains(&b';').then_some("image/gif")
    } else if begins(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        let len = bytes.get(4..8).and_then(|len| Some(u32::from_le_bytes(len.try_into().ok()?)))?;
        (bytes.len() as u64 >= u64::from(len) + 8).then_some("image/webp")
    } else if bytes.get(4..8) == Some(b"ftyp") {
        let brand = bytes.get(8..12)?;
        Some(if brand.starts_with(b"avi") { "image/avif" } else { "image/heic" })
    } else if begins(b"BM") {
        Some("image/bmp")
    } else if begins(b"II*\0") || begins(b"MM\0*") {
        Some("image/tiff")
    } else if begins(b"\0\0\x01\0") {
        Some("image/x-icon")
    } else {
        let head = std::str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}').trim_start();
        (head.starts_with('<') && head.contains("<svg") && head.contains("</svg>")).then_some("image/svg+xml")
    }
}

/// Does every chunk lie within the bytes, up to the one that ends the picture?
fn is_whole_png(bytes: &[u8]) -> bool {
    let mut at = 8;
    loop {
        let Some(head) = bytes.get(at..at + 8) else { return false };
        let (len, kind) = head.split_at(4);
        let Some(len) = len.try_into().ok().map(u32::from_be_bytes) else { return false };
        let Some(next) = usize::try_from(len).ok().and_then(|len| at.checked_add(len)?.checked_add(12)) else {
            return false;
        };
        if next > bytes.len() {
            return false;
        }
        if kind == b"IEND" {
            return true;
        }
        at = next;
    }
}

#[cfg(test)]
mod tests {
    use super::format;

    #[test]
    fn a_picture_is_known_by_its_bytes_and_a_part_of_one_is_none() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x01IDATx....\0\0\0\0IEND....";
        assert_eq!(format(png), Some("image/png"));
        for end in 0..png.len() {
            assert_eq!(format(&png[..end]), None, "{end} bytes");
        }
        assert_eq!(format(b"\xff\xd8\xff\xe0 data \xff\xd9"), Some("image/jpeg"));
        assert_eq!(format(b"\xff\xd8\xff\xe0 data"), None);
        assert_eq!(format(b"RIFF\x06\0\0\0WEBPVP"), Some("image/webp"));
        assert_eq!(format(b"RIFF\x07\0\0\0WEBPVP"), None);
        assert_eq!(format(b"<svg xmlns='x'></svg>"), Some("image/svg+xml"));
        assert_eq!(format(b"not a picture"), None);
        assert_eq!(format(b""), None);
    }
}
