//! Characters that a reader can't see, or that reorder what is seen: a text with one isn't what it looks like.

/// Controls; soft hyphen and other fillers; zero width; direction; invisible operators; blanks that are no space; tags. Not line
/// end and tab.
pub const fn hides(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{8}'
            | '\u{b}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Does a character that hides begin with this byte in UTF-8? Others begin with it too.
pub const fn may_hide(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0b..=0x1f | 0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf0 | 0xf3)
}

#[cfg(test)]
mod tests {
    use super::{hides, may_hide};

    #[test]
    fn every_one_is_told_by_its_first_byte() {
        let missed = ('\0'..=char::MAX).filter(|c| hides(*c)).find(|c| !may_hide(c.to_string().as_bytes()[0]));
        assert_eq!(missed, None);
    }
}
