//! Rows of a large difference, as the text of their blocks says them: which numbers they have, where they are, and what
//! wrapping does to them.

/// Pixels of a row.
pub const ROW: f64 = 20.0;

/// A row of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockRow {
    pub old: Option<u32>,
    pub new: Option<u32>,
    /// Rows of the screen before it in its block, and its own ones: a long line takes several.
    pub top: u32,
    pub height: u32,
}

/// The rows of a block, of its columns of numbers. An empty line of numbers continues the row above it.
pub fn rows(columns: &[String]) -> Vec<BlockRow> {
    let is_split = columns.len() > 1;
    let mut rows: Vec<BlockRow> = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        let mut row = 0;
        for (line, words) in column.lines().enumerate() {
            if words.is_empty() {
                if at == 0
                    && let Some(last) = rows.last_mut()
                {
                    last.height += 1;
                }
                continue;
            }
            if at == 0 {
                rows.push(BlockRow { top: line as u32, height: 1, ..BlockRow::default() });
            }
            if let Some(place) = rows.get_mut(row) {
                let (old, new) = numbers(words, is_split, at);
                (place.old, place.new) = (place.old.or(old), place.new.or(new));
            }
            row += 1;
        }
    }
    rows
}

/// `12 14`, `12 −` or `14 +`; of one side `12`, `12 −` or `14 +`. Numbers of an edit of unknown place have a dot before
/// them.
fn numbers(words: &str, is_split: bool, column: usize) -> (Option<u32>, Option<u32>) {
    let mut numbers = words.split_whitespace().filter_map(|word| word.trim_start_matches('\u{b7}').parse().ok());
    let (first, second) = (numbers.next(), numbers.next());
    match (is_split, column) {
        (true, 0) => (first, None),
        (true, _) => (None, first),
        (false, _) if words.ends_with('+') => (None, first),
        (false, _) if words.ends_with('\u{2212}') => (first, None),
        (false, _) => (first, second),
    }
}

/// Hidden lines, where they stand: the row of the screen within their block, and which ones. `said` is `12:40-78
/// 30:90-95`, rows counted over the whole difference; `first` is the block's.
pub fn gaps(rows: &[BlockRow], first: u32, said: &str) -> Vec<(u32, String)> {
    let gap = |words: &str| {
        let (row, lines) = words.split_once(':')?;
        let row = rows.get(row.parse::<u32>().ok()?.checked_sub(first)? as usize)?;
        Some((row.top, lines.to_owned()))
    };
    said.split(' ').filter_map(gap).collect()
}

/// Side and number of a row whose number was clicked, in the left column of two or not.
pub fn side_of(row: BlockRow, is_left: bool) -> Option<(char, u32)> {
    match (is_left, row.new, row.old) {
        (true, _, Some(old)) | (false, None, Some(old)) => Some(('L', old)),
        (false, Some(new), _) => Some(('R', new)),
        _ => None,
    }
}

/// The parts of a block that some rows take, in rows of the screen: top and height. `fits` is asked with the row's
/// place in the whole difference.
pub fn extent(rows: &[BlockRow], first: u32, fits: impl Fn(u32, &BlockRow) -> bool) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for (_, row) in rows.iter().enumerate().filter(|(at, row)| fits(first + *at as u32, row)) {
        match found.last_mut() {
            Some((top, height)) if *top + *height == row.top => *height += row.height,
            _ => found.push((row.top, row.height)),
        }
    }
    found
}

/// Columns that a line takes at most: a character of another script may be twice as wide, a tab four times.
pub fn columns(line: &str) -> usize {
    let tabs = line.bytes().filter(|byte| *byte == b'\t').count();
    if line.is_ascii() { line.len() + 3 * tabs } else { 2 * line.encode_utf16().count() + 2 * tabs }
}

/// The numbers of a block, each behind so many rows of the screen as its line takes.
pub fn spread(numbers: &str, height: impl Fn(usize) -> u32) -> String {
    let mut out = String::with_capacity(numbers.len() * 2);
    for (at, line) in numbers.lines().enumerate() {
        out.push_str(line);
        (0..height(at)).for_each(|_| out.push('\n'));
    }
    out
}

/// Every row of a block's style becomes the place that it has now: of so many rows, each with its height.
pub fn scaled(style: &str, heights: &[u32]) -> String {
    let top = |row: usize| heights.iter().take(row).sum::<u32>();
    format!("--n:{};{}", top(usize::MAX), stops(background(style), |row| top(row) as usize))
}

/// The style of the rows `from..to` of a block.
pub fn shifted(style: &str, from: usize, to: usize) -> String {
    let all = style.trim_start_matches("--n:").split(';').next().and_then(|rows| rows.parse().ok()).unwrap_or(0);
    let end = to.min(all).max(from);
    format!("--n:{};{}", end - from, stops(background(style), |row| row.clamp(from, end) - from))
}

fn background(style: &str) -> &str {
    style.split_once(';').map_or(style, |(_, background)| background)
}

/// A gradient whose stops are at rows, with each of them elsewhere.
fn stops(background: &str, place: impl Fn(usize) -> usize) -> String {
    let row = ROW as usize;
    let stop = |word: &str| match word.split_once("px").and_then(|(at, rest)| Some((at.parse::<usize>().ok()?, rest))) {
        Some((pixels, rest)) => format!("{}px{rest}", place(pixels / row) * row),
        None => word.to_owned(),
    };
    background.split(' ').map(stop).collect::<Vec<_>>().join(" ")
}

/// A coloured range of a text: `k12+4`, its kind, the unit at which it starts, and how many it has.
pub fn highlight(word: &str) -> Option<(char, u32, u32)> {
    let kind = word.chars().next()?;
    let (start, length) = word.get(kind.len_utf8()..)?.split_once('+')?;
    Some((kind, start.parse().ok()?, length.parse().ok()?))
}

/// Coloured ranges before so many units, and those behind them.
pub fn cut_highlights(ranges: &str, units: u32) -> (String, String) {
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    for (kind, start, length) in ranges.split(' ').filter_map(highlight) {
        match start.checked_sub(units) {
            None => before.push(format!("{kind}{start}+{length}")),
            Some(start) => behind.push(format!("{kind}{start}+{length}")),
        }
    }
    (before.join(" "), behind.join(" "))
}

/// Where two sides that stand beside each other have to be cut, so that a line of both is as high: behind these rows,
/// each with the row behind it.
pub fn cuts(old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
    let count = old.len().max(new.len());
    let at = |rows: &[u32], row: usize| rows.get(row).copied().unwrap_or(1);
    let ends = (0..count).filter(|row| at(old, *row) != at(new, *row)).map(|row| row + 1);
    let mut from = 0;
    let mut parts = Vec::new();
    for end in ends.chain([count]).filter(|end| *end > 0) {
        if end > from {
            parts.push((from, end));
            from = end;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{
        BlockRow, columns, cut_highlights, cuts, extent, gaps, highlight, rows, scaled, shifted, side_of, spread,
    };

    fn row(old: Option<u32>, new: Option<u32>, top: u32, height: u32) -> BlockRow {
        BlockRow { old, new, top, height }
    }

    fn one(column: &str) -> Vec<BlockRow> {
        rows(&[column.to_owned()])
    }

    #[test]
    fn rows_of_one_column_have_both_numbers_or_one() {
        let read = one("12 14\n13 \u{2212}\n15 +\n");
        assert_eq!(read, [row(Some(12), Some(14), 0, 1), row(Some(13), None, 1, 1), row(None, Some(15), 2, 1)]);
    }

    #[test]
    fn rows_of_two_columns_have_a_side_each() {
        let read = rows(&["12\n13 \u{2212}\n".to_owned(), "14\n15 +\n".to_owned()]);
        assert_eq!(read, [row(Some(12), Some(14), 0, 1), row(Some(13), Some(15), 1, 1)]);
    }

    #[test]
    fn an_empty_line_continues_the_row_above_it() {
        assert_eq!(one("1 1\n\n\n2 2\n"), [row(Some(1), Some(1), 0, 3), row(Some(2), Some(2), 3, 1)]);
    }

    #[test]
    fn numbers_of_an_edit_of_unknown_place_have_a_dot() {
        assert_eq!(one("\u{b7}3 +"), [row(None, Some(3), 0, 1)]);
    }

    #[test]
    fn a_row_without_numbers_is_one() {
        assert_eq!(one("\u{2026}\n4 5"), [row(None, None, 0, 1), row(Some(4), Some(5), 1, 1)]);
    }

    #[test]
    fn a_gap_stands_at_its_row() {
        let rows = one("1 1\n\n\u{2026}\n9 9");
        assert_eq!(gaps(&rows, 100, "101:2-8"), [(2, "2-8".to_owned())]);
    }

    #[test]
    fn gaps_of_other_blocks_are_left_out() {
        assert_eq!(gaps(&one("1 1"), 100, "99:2-8 101:3-4 x 100"), []);
    }

    #[test]
    fn a_click_means_the_side_of_its_column() {
        let both = row(Some(12), Some(14), 0, 1);
        assert_eq!([side_of(both, true), side_of(both, false)], [Some(('L', 12)), Some(('R', 14))]);
    }

    #[test]
    fn a_removed_line_is_of_the_old_side_in_either_column() {
        let removed = row(Some(12), None, 0, 1);
        assert_eq!([side_of(removed, true), side_of(removed, false)], [Some(('L', 12)); 2]);
        assert_eq!(side_of(row(None, Some(3), 0, 1), true), None);
    }

    #[test]
    fn rows_that_follow_each_other_are_marked_as_one() {
        let rows = one("1 1\n2 2\n\n3 3\n4 4");
        assert_eq!(extent(&rows, 10, |at, _| (11..13).contains(&at)), [(1, 3)]);
    }

    #[test]
    fn rows_apart_are_marked_apart() {
        let rows = one("1 1\n2 2\n3 3");
        assert_eq!(extent(&rows, 0, |_, row| row.new != Some(2)), [(0, 1), (2, 1)]);
    }

    #[test]
    fn a_line_is_as_wide_as_its_letters_may_be() {
        assert_eq!([columns("abc"), columns("\tab"), columns("\u{e9}a"), columns("\t\u{e9}")], [3, 6, 4, 6]);
    }

    #[test]
    fn numbers_are_spread_over_the_rows_of_their_lines() {
        assert_eq!(spread("1 1\n2 2\n", |at| if at == 0 { 3 } else { 1 }), "1 1\n\n\n2 2\n");
    }

    const STYLE: &str = "--n:4;--bg:linear-gradient(red 20px, blue 20px 60px, none 0)";

    #[test]
    fn the_background_follows_rows_that_become_higher() {
        assert_eq!(scaled(STYLE, &[1, 3, 1, 1]), "--n:6;--bg:linear-gradient(red 20px, blue 20px 100px, none 0)");
    }

    #[test]
    fn the_upper_part_of_a_block_has_the_upper_part_of_its_background() {
        assert_eq!(shifted(STYLE, 0, 2), "--n:2;--bg:linear-gradient(red 20px, blue 20px 40px, none 0)");
    }

    #[test]
    fn the_lower_part_of_a_block_begins_anew() {
        assert_eq!(shifted(STYLE, 2, usize::MAX), "--n:2;--bg:linear-gradient(red 0px, blue 0px 20px, none 0)");
    }

    #[test]
    fn a_block_without_background_has_its_rows() {
        assert_eq!(shifted("--n:4", 1, 3), "--n:2;--n:4");
    }

    #[test]
    fn a_highlight_has_a_kind_and_a_place() {
        assert_eq!((highlight("k12+4"), highlight("k12"), highlight("")), (Some(('k', 12, 4)), None, None));
    }

    #[test]
    fn highlights_behind_a_cut_count_from_it() {
        assert_eq!(cut_highlights("k0+4 s12+2 n15+1", 12), ("k0+4".to_owned(), "s0+2 n3+1".to_owned()));
    }

    #[test]
    fn a_text_without_highlights_has_none_behind_a_cut() {
        assert_eq!(cut_highlights("", 12), (String::new(), String::new()));
    }

    #[test]
    fn sides_that_are_as_high_are_not_cut() {
        assert_eq!(cuts(&[1, 2, 1], &[1, 2, 1]), [(0, 3)]);
    }

    #[test]
    fn sides_are_cut_behind_a_line_that_is_higher_on_one() {
        assert_eq!(cuts(&[1, 2, 1], &[1, 1, 1]), [(0, 2), (2, 3)]);
        assert_eq!(cuts(&[1, 2], &[1, 1]), [(0, 2)]);
    }

    #[test]
    fn a_side_that_ends_earlier_has_rows_of_one() {
        assert_eq!(cuts(&[1], &[1, 3, 1]), [(0, 2), (2, 3)]);
    }

    #[test]
    fn nothing_is_cut_where_there_is_nothing() {
        assert_eq!(cuts(&[], &[]), []);
    }
}
