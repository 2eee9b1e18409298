//! Characters that are invisible or reorder text, so that a text isn't what it looks like.

/// Returns true for characters that are invisible or reorder text: controls; soft hyphens and other fillers; zero
/// width; direction; invisible operators; blanks other than the space; variation selectors; tags. Line end and tab
/// aren't included.
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
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns true if the UTF-8 of such a character can begin with this byte. A fast test before [`hides`]; other
/// characters can begin with it too.
pub const fn may_hide(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0b..=0x1f | 0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf0 | 0xf3)
}

/// Returns true if a script, an emoji or a drawing needs this character. `before` is the previous character, without
/// the blanks of a drawing; `after` is the rest of the text.
pub fn is_needed(c: char, before: Option<char>, after: &str) -> bool {
    match c {
        '\u{200c}' | '\u{200d}' => {
            let is_emoji = before == Some('\u{fe0f}');
            (is_emoji || is_beyond_ascii(before)) && is_beyond_ascii(after.chars().next())
        }
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(|before| is_emoji(before) || is_keycap(before, after)),
        BLANK => draws(before, after),
        // Mongolian letters have several forms.
        '\u{180b}'..='\u{180d}' | '\u{180f}' => matches!(before, Some('\u{1820}'..='\u{18aa}')),
        _ => false,
    }
}

/// Returns true for a visible non-ASCII character. Between ASCII letters a joiner has no purpose.
pub fn is_beyond_ascii(c: Option<char>) -> bool {
    c.is_some_and(|c| !c.is_ascii() && !hides(c))
}

/// Returns true if a character has a text and an emoji form. Includes whole blocks of symbols, of which some have one
/// form.
const fn is_emoji(c: char) -> bool {
    matches!(
        c,
        '\u{a9}'
            | '\u{ae}'
            | '\u{203c}'
            | '\u{2049}'
            | '\u{2122}'
            | '\u{2139}'
            | '\u{2194}'..='\u{21aa}'
            | '\u{231a}'..='\u{23fa}'
            | '\u{24c2}'
            | '\u{25aa}'..='\u{27bf}'
            | '\u{2934}'..='\u{2935}'
            | '\u{2b05}'..='\u{2b55}'
            | '\u{3030}'
            | '\u{303d}'
            | '\u{3297}'
            | '\u{3299}'
            | '\u{1f000}'..='\u{1faff}'
    )
}

/// Returns true if a selector is part of a keycap emoji.
fn is_keycap(before: char, after: &str) -> bool {
    matches!(before, '0'..='9' | '#' | '*') && after.starts_with('\u{20e3}')
}

/// The Braille pattern without dots.
pub const BLANK: char = '\u{2800}';

/// Returns true for a blank among Braille dots, of which bars and pictures are made.
fn draws(before: Option<char>, after: &str) -> bool {
    const FAR: usize = 200;
    let is_dots = |c: char| ('\u{2801}'..='\u{28ff}').contains(&c);
    let next = after.chars().take(FAR).find(|c| !matches!(c, &BLANK | ' ' | '\n'));
    before.is_some_and(is_dots) || next.is_some_and(is_dots)
}

#[cfg(test)]
mod tests {
    use super::{hides, is_needed, may_hide};

    #[test]
    fn selectors_and_joiners_are_needed_by_emoji_and_scripts() {
        let hidden = |text: &str| {
            let befores = std::iter::once(None).chain(text.chars().map(Some));
            let places = text.char_indices().zip(befores).filter(|((_, c), _)| hides(*c));
            places.filter(|((at, c), before)| !is_needed(*c, *before, &text[at + c.len_utf8()..])).count()
        };
        for text in ["❤️ ❤️‍🔥 👩‍🚀 ☎︎ 1️⃣ #️⃣ ©️ 👁️‍🗨️", "می‌خواهم", "⣀⠀⣀"]
        {
            assert_eq!(hidden(text), 0, "{text}");
        }
        for c in '\u{fe00}'..='\u{fe0f}' {
            assert_eq!(hidden(&format!("a{c}b é{c} 1{c}")), 3, "{c:?}");
        }
        // A second selector is no part of the emoji.
        assert_eq!(hidden("a\u{200d}b \u{200c}\u{200d}\u{2060} ❤\u{fe00} ❤\u{fe0f}\u{200d} ❤\u{fe0f}\u{fe0f}"), 7);
    }

    #[test]
    fn every_one_is_told_by_its_first_byte() {
        let missed = ('\0'..=char::MAX).filter(|c| hides(*c)).find(|c| !may_hide(c.to_string().as_bytes()[0]));
        assert_eq!(missed, None);
    }
}
