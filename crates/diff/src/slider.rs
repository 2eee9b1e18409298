//! Where a group of added or removed lines goes that could stand at several places: git's indentation heuristic, constant
//! for constant. The one of the diff library differs from it near the end of a file and behind blank lines.

use std::ops::{AddAssign, Range};

use imara_diff::{SliderHeuristic, Token};

/// Places that are tried.
const MAX_SLIDING: u32 = 100;
/// Blank lines that are counted on either side of a place.
const MAX_BLANKS: usize = 20;
/// Deeper lines are as deep as this.
const MAX_INDENT: i32 = 200;

const START_OF_FILE: i32 = 1;
const END_OF_FILE: i32 = 21;
const TOTAL_BLANK: i32 = -30;
const POST_BLANK: i32 = 6;
const INDENT: i32 = -4;
const INDENT_WITH_BLANK: i32 = 10;
const OUTDENT: i32 = 24;
const OUTDENT_WITH_BLANK: i32 = 17;
const DEDENT: i32 = 23;
const DEDENT_WITH_BLANK: i32 = 17;
const INDENT_WEIGHT: i32 = 60;

/// Knows how far each line is indented; None if it is blank.
pub(crate) struct GitSlider<F>(pub(crate) F);

/// Columns before the first character; None for a blank line.
pub(crate) fn indent(line: &[u8]) -> Option<i32> {
    let mut columns = 0;
    for byte in line {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 8 - columns % 8,
            b'\n' | b'\r' | 0x0b | 0x0c => {}
            _ => return Some(columns),
        }
        if columns >= MAX_INDENT {
            return Some(MAX_INDENT);
        }
    }
    None
}

impl<F: Fn(Token) -> Option<i32>> SliderHeuristic for GitSlider<F> {
    fn best_slider_end(&mut self, tokens: &[Token], hunk: Range<u32>, earliest_end: u32) -> u32 {
        let size = hunk.end - hunk.start;
        let first = earliest_end.max(hunk.start.saturating_sub(1)).max(hunk.end.saturating_sub(MAX_SLIDING));
        let mut best: Option<(Score, u32)> = None;
        for end in first..=hunk.end {
            let mut score = Score::default();
            score += self.score(tokens, end as usize);
            score += self.score(tokens, end.saturating_sub(size) as usize);
            // Of equally good positions the last one is used.
            if best.is_none_or(|(best, _)| score.compared_with(best) <= 0) {
                best = Some((score, end));
            }
        }
        best.map_or(hunk.end, |(_, end)| end)
    }
}

impl<F: Fn(Token) -> Option<i32>> GitSlider<F> {
    /// How bad it is to cut a text before a line.
    fn score(&self, tokens: &[Token], split: usize) -> Score {
        let of = |token: &Token| (self.0)(*token);
        let own = tokens.get(split).and_then(of);
        let (blanks_above, above) = count_blanks(tokens[..split.min(tokens.len())].iter().rev().map(of));
        let (blanks_below, below) = count_blanks(tokens.get(split + 1..).unwrap_or_default().iter().map(of));
        let mut penalty = 0;
        if above.is_none() && blanks_above == 0 {
            penalty += START_OF_FILE;
        }
        if split >= tokens.len() {
            penalty += END_OF_FILE;
        }
        let post_blank = if own.is_none() { 1 + blanks_below } else { 0 };
        let total_blank = blanks_above + post_blank;
        penalty += TOTAL_BLANK * total_blank + POST_BLANK * post_blank;
        let indent = own.or(below);
        let with_blank = |with: i32, without: i32| if total_blank == 0 { without } else { with };
        if let (Some(indent), Some(above)) = (indent, above) {
            penalty += match indent.cmp(&above) {
                std::cmp::Ordering::Greater => with_blank(INDENT_WITH_BLANK, INDENT),
                std::cmp::Ordering::Equal => 0,
                // The line below goes back in: the cut is between the parts of one block, as before an `else`.
                std::cmp::Ordering::Less if below.is_some_and(|below| below > indent) => {
                    with_blank(OUTDENT_WITH_BLANK, OUTDENT)
                }
                std::cmp::Ordering::Less => with_blank(DEDENT_WITH_BLANK, DEDENT),
            };
        }
        Score { indent: indent.unwrap_or(-1), penalty }
    }
}

/// Blank lines up to the first that isn't blank, and how far that one is indented.
fn count_blanks(lines: impl Iterator<Item = Option<i32>>) -> (i32, Option<i32>) {
    let mut blanks = 0;
    for line in lines {
        if line.is_some() {
            return (blanks, line);
        }
        blanks += 1;
        if blanks == MAX_BLANKS as i32 {
            return (blanks, Some(0));
        }
    }
    (blanks, None)
}

#[derive(Debug, Clone, Copy, Default)]
struct Score {
    indent: i32,
    penalty: i32,
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        self.indent += other.indent;
        self.penalty += other.penalty;
    }
}

impl Score {
    /// Negative if it is better.
    fn compared_with(self, other: Self) -> i32 {
        INDENT_WEIGHT * (self.indent - other.indent).signum() + self.penalty - other.penalty
    }
}
