//! Scripts of letters and signs: those that are written without spaces need special rules.

/// Returns true if it is a letter of a script that puts no spaces around words, or attaches endings to any word.
pub(super) fn is_unspaced_letter(c: char) -> bool {
    let unspaced = matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff10}'..='\u{ffdc}' | '\u{20000}'..='\u{3ffff}');
    unspaced && !is_unspaced_sign(c)
}

/// Returns true if it is punctuation of such a script.
pub(super) fn is_unspaced_sign(c: char) -> bool {
    matches!(c,
        '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{3030}' | '\u{303d}'..='\u{303f}' | '\u{30fb}'
        | '\u{fe10}'..='\u{fe1f}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}' | '\u{ffe0}'..='\u{ffee}')
}

/// Returns true for a character of running text that URLs don't contain: of the scripts above, quotation marks,
/// ellipses, long dashes, or Arabic punctuation.
pub(super) fn ends_address(c: char) -> bool {
    is_unspaced_sign(c)
        || matches!(c, '\u{2014}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{ab}' | '\u{bb}' | '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{6d4}')
}
