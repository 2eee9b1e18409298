//! Line counts and a plain diff, for summaries and export. The crate `diff` computes those of pages, and compares lines
//! in the same way.

use std::ops::Range;

/// Maximum number of comparisons. Above it, the middle counts as replaced, so that a summary is always fast.
const MAX_WORK: usize = 1 << 20;
/// Maximum number of comparisons for all edits of a message.
const MAX_WORK_OF_ALL: usize = 1 << 26;

/// Returns the maximum number of comparisons for one of so many edits.
fn work_among(edits: usize) -> usize {
    MAX_WORK.min(MAX_WORK_OF_ALL / edits.max(1))
}

/// Line ends of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// `\n` alone.
    Lf,
    /// `\r\n`.
    CrLf,
    /// Carriage returns only, as on old Macs.
    Cr,
    /// Some with `\r`, some without.
    Mixed,
}

impl LineEnds {
    /// Returns the line ends of a text; None if it has none.
    pub fn of(text: &str) -> Option<Self> {
        let (lf, crlf) = (text.matches('\n').count(), text.matches("\r\n").count());
        let cr = text.matches('\r').count();
        match (lf, crlf, cr) {
            (0, _, 0) => None,
            (0, ..) => Some(Self::Cr),
            (_, 0, _) => Some(Self::Lf),
            _ if lf == crlf => Some(Self::CrLf),
            _ => Some(Self::Mixed),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Lf => "LF",
            Self::CrLf => "CRLF",
            Self::Cr => "CR",
            Self::Mixed => "mixed ones",
        }
    }
}

/// Returns the old and the new line ends if all of them changed; then lines that differ only in their ends are equal.
/// None if they didn't change, or the new ones are mixed.
pub fn changed_line_ends(old: &str, new: &str) -> Option<(LineEnds, LineEnds)> {
    let (old, new) = (LineEnds::of(old)?, LineEnds::of(new)?);
    (old != new && new != LineEnds::Mixed).then_some((old, new))
}

/// Returns a description of the change of line ends: `Line endings changed from CRLF to LF`. None as for
/// [`changed_line_ends`].
pub fn line_ends_note(old: &str, new: &str) -> Option<String> {
    let (old, new) = changed_line_ends(old, new)?;
    Some(format!("Line endings changed from {} to {}", old.name(), new.name()))
}

/// Returns the minimal number of added and removed lines between two texts. If the differing middles are too large to
/// compare, all of their lines count.
pub fn line_counts(old: &str, new: &str) -> (usize, usize) {
    line_counts_among(old, new, 1)
}

/// Like [`line_counts`], for one of `edits` edits of a message, which share a limit of work.
pub fn line_counts_among(old: &str, new: &str, edits: usize) -> (usize, usize) {
    let changes = line_changes_among(old, new, edits);
    changes.iter().fold((0, 0), |sum, (old, new)| (sum.0 + new.len(), sum.1 + old.len()))
}

/// Returns the changed ranges of two texts as line numbers from 0: old lines, and their replacement. For one of `edits`
/// edits, which share a limit of work.
pub fn line_changes_among(old: &str, new: &str, edits: usize) -> Vec<(Range<usize>, Range<usize>)> {
    Compared::of(old, new).changes(work_among(edits))
}

/// Returns the number of lines that a unified diff adds and removes.
pub fn patch_counts(patch: &str) -> (usize, usize) {
    let hunks = patch.lines().skip_while(|line| !line.starts_with("@@"));
    hunks.fold((0, 0), |(added, removed), line| {
        (added + usize::from(line.starts_with('+')), removed + usize::from(line.starts_with('-')))
    })
}

/// Returns both texts with a line end added, if they are parts of a file whose last lines continue. None if no line end
/// is missing. At a known position (`start_line`), a line end on one side only is a change at the end of the file.
pub fn closed(old: &str, new: &str, start_line: Option<u32>) -> Option<(String, String)> {
    let goes_on = match (old.ends_with('\n'), new.ends_with('\n')) {
        (false, false) => true,
        (true, true) => false,
        _ => start_line.is_none(),
    };
    goes_on.then(|| (format!("{old}\n"), format!("{new}\n")))
}

/// Returns a unified diff without hunk headers: changes with up to three context lines, `@@` between distant ones. It
/// ends with the line that reaches `most` bytes. For one of `edits` edits.
pub(super) fn diff(old: &str, new: &str, edits: usize, most: usize) -> String {
    const AROUND: usize = 3;
    let compared = Compared::of(old, new);
    let [old, new] = &compared.lines;
    let mut text = String::new();
    let mut push = |mark: char, lines: Option<&[&str]>| {
        for line in lines.unwrap_or_default().iter().flat_map(|line| line.lines()) {
            if text.len() >= most {
                return;
            }
            text.push(mark);
            text.push_str(line);
            text.push('\n');
        }
    };
    let changes = compared.changes(work_among(edits));
    let mut shown = 0;
    for (index, (removed, added)) in changes.iter().enumerate() {
        let from = removed.start.saturating_sub(AROUND).max(shown);
        if from > shown && index > 0 {
            push('@', Some(&["@"]));
        }
        push(' ', old.get(from..removed.start));
        push('-', old.get(removed.clone()));
        push('+', new.get(added.clone()));
        let next = changes.get(index + 1).map_or(old.len(), |(next, _)| next.start);
        shown = (removed.end + AROUND).min(next);
        push(' ', old.get(removed.end..shown));
    }
    text
}

type Change = (Range<usize>, Range<usize>);

/// The lines of both sides, with their ends.
struct Compared<'a> {
    lines: [Vec<&'a str>; 2],
    /// True if all line ends changed, so that they aren't compared.
    is_any_end: bool,
}

impl<'a> Compared<'a> {
    fn of(old: &'a str, new: &'a str) -> Self {
        let lines = [old, new].map(|text| text.split_inclusive('\n').collect());
        Self { lines, is_any_end: changed_line_ends(old, new).is_some() }
    }

    fn are_equal(&self, a: &str, b: &str) -> bool {
        let key = |line: &str| {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            bare.strip_suffix('\r').filter(|_| self.is_any_end).unwrap_or(bare).len()
        };
        a.ends_with('\n') == b.ends_with('\n') && a[..key(a)] == b[..key(b)]
    }

    /// Returns the changed ranges of lines, as few lines as possible.
    fn changes(&self, max_work: usize) -> Vec<Change> {
        let [old, new] = &self.lines;
        let are_equal = |(a, b): &(&&str, &&str)| self.are_equal(a, b);
        let head = old.iter().zip(new).take_while(are_equal).count();
        let (old_rest, new_rest) = (&old[head..], &new[head..]);
        let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(are_equal).count();
        let (old_rest, new_rest) = (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
        if old_rest.is_empty() && new_rest.is_empty() {
            return Vec::new();
        }
        let whole = (head..head + old_rest.len(), head..head + new_rest.len());
        if old_rest.len().saturating_mul(new_rest.len()) > max_work {
            return vec![whole];
        }
        let common = self.longest_common(old_rest, new_rest);
        let mut changes: Vec<Change> = Vec::new();
        let (mut at, mut other) = (0, 0);
        for (old_at, new_at) in common.into_iter().chain([(old_rest.len(), new_rest.len())]) {
            if old_at > at || new_at > other {
                changes.push((head + at..head + old_at, head + other..head + new_at));
            }
            (at, other) = (old_at + 1, new_at + 1);
        }
        changes
    }

    /// Returns the positions of a longest common subsequence.
    fn longest_common(&self, old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
        let width = new.len() + 1;
        // Length of the longest common subsequence of the lines from (i, j) on.
        let mut table = vec![0_u32; (old.len() + 1) * width];
        for (i, a) in old.iter().enumerate().rev() {
            for (j, b) in new.iter().enumerate().rev() {
                let at = i * width + j;
                table[at] =
                    if self.are_equal(a, b) { table[at + width + 1] + 1 } else { table[at + width].max(table[at + 1]) };
            }
        }
        let (mut i, mut j) = (0, 0);
        let mut common = Vec::new();
        while i < old.len() && j < new.len() {
            let at = i * width + j;
            if self.are_equal(old[i], new[j]) {
                common.push((i, j));
                (i, j) = (i + 1, j + 1);
            } else if table[at + width] >= table[at + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
        common
    }
}

#[cfg(test)]
mod tests {
    use super::{diff, line_counts, line_ends_note, patch_counts};

    #[test]
    fn only_changed_lines_count() {
        assert_eq!(line_counts("a\nb\nc\nd\ne\n", "a\nB\nc\nD\ne\n"), (2, 2));
        assert_eq!(line_counts("", "a\nb\n"), (2, 0));
        assert_eq!(line_counts("a\nb", ""), (0, 2));
        assert_eq!(line_counts("a\na\n", "a\n"), (0, 1));
        assert_eq!(line_counts("same\n", "same\n"), (0, 0));
        assert_eq!(line_counts("last", "last\n"), (1, 1));
        assert_eq!(patch_counts("--- a\n+++ b\n@@ -1 +1,2 @@\n-x\n+y\n+z\n\\ No newline at end of file\n"), (2, 1));
    }

    #[test]
    fn other_line_ends_change_no_line() {
        let (old, new) = ("a\r\nb\r\nc\r\n", "a\nB\nc\n");
        assert_eq!((line_counts(old, new), line_counts(new, old)), ((1, 1), (1, 1)));
        assert_eq!(line_ends_note(old, new).as_deref(), Some("Line endings changed from CRLF to LF"));
        assert_eq!(line_ends_note("a\rb\r", "a\nb\n").as_deref(), Some("Line endings changed from CR to LF"));
        assert_eq!(line_ends_note(old, "a\r\nB\r\n"), None);
        // One line among others is a change of that line.
        assert_eq!((line_counts("a\r\nb\r\n", "a\r\nb\n"), line_ends_note("a\r\nb\r\n", "a\r\nb\n")), ((1, 1), None));
    }

    #[test]
    fn a_diff_has_three_lines_around_each_change() {
        assert_eq!(
            diff("1\n2\n3\n4\nx\n5\n6\n7\n8\n", "1\n2\n3\n4\ny\n5\n6\n7\n8\n", 1, usize::MAX),
            " 2\n 3\n 4\n-x\n+y\n 5\n 6\n 7\n"
        );
        let old: Vec<String> = (1..=20).map(|n| format!("{n}\n")).collect();
        let new = old.concat().replace("2\n3\n", "2\nnew\n3\n").replace("19\n", "");
        assert_eq!(diff(&old.concat(), &new, 1, usize::MAX), " 1\n 2\n+new\n 3\n 4\n 5\n@@\n 16\n 17\n 18\n-19\n 20\n");
        assert_eq!(diff(&old.concat(), &new, 1, 7), " 1\n 2\n+new\n");
        assert_eq!(diff("a\r\nb\r", "c\r\nb\r", 1, usize::MAX), "-a\n+c\n b\r\n");
    }
}
