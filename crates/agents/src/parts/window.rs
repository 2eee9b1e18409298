//! The neighbourhood of a change: real lines of the file before and after, cut out around what changed.
//!
//! Whole files with every edit would multiply the database, and a bare `old_string` has neither line numbers nor context.
//! So an edit stores the lines from the first to the last change with [`AROUND`] lines on both sides, taken from the file's
//! own bytes. (The transcript's patch lines won't do: their tabs are replaced by spaces for display.) Changes further
//! apart than [`MAX_SPAN`] lines become several edits of the same file.

/// Equal lines kept on either side of a change.
const AROUND: usize = 8;

/// Most lines of one window.
const MAX_SPAN: usize = 400;

/// A part of a file before and after a change. Both sides begin with the same lines of context.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// Line of the first line before the change, from 1.
    pub start_line: usize,
    pub old: String,
    pub new: String,
}

/// A changed region: lines `old` of the file before became lines `new` of the file after. Half-open, from 0.
type Region = ((usize, usize), (usize, usize));

/// Cuts the windows out. `hunks` are the patch's positions (old start, old lines, new start, new lines; starts from 1) where
/// known; positions that don't fit the files are not used.
pub(crate) fn windows(old: &str, new: &str, hunks: &[[usize; 4]]) -> Vec<Window> {
    let (before, after) = (lines(old), lines(new));
    let whole = trimmed(&before, &after);
    let ((old_from, old_to), (new_from, new_to)) = whole;
    if old_from == old_to && new_from == new_to {
        return Vec::new();
    }
    let regions = if (old_to - old_from).max(new_to - new_from) <= MAX_SPAN {
        vec![whole]
    } else {
        of_hunks(&before, &after, hunks).unwrap_or_else(|| vec![whole])
    };
    regions.into_iter().map(|region| cut_out(&before, &after, region)).collect()
}

/// Lines with their line ends.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The region between the common beginning and the common end.
fn trimmed(old: &[&str], new: &[&str]) -> Region {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    ((head, old.len() - tail), (head, new.len() - tail))
}

/// The patch's hunks as regions, near ones joined. None if the files differ outside of them.
fn of_hunks(old: &[&str], new: &[&str], hunks: &[[usize; 4]]) -> Option<Vec<Region>> {
    let mut regions: Vec<Region> = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for &[old_start, old_lines, new_start, new_lines] in hunks {
        // A side without lines names the line before it.
        let old_from = if old_lines == 0 { old_start } else { old_start.checked_sub(1)? };
        let new_from = if new_lines == 0 { new_start } else { new_start.checked_sub(1)? };
        let (old_to, new_to) = (old_from.checked_add(old_lines)?, new_from.checked_add(new_lines)?);
        if old.get(old_at..old_from)? != new.get(new_at..new_from)? || old_to > old.len() || new_to > new.len() {
            return None;
        }
        let ((from, to), (other_from, other_to)) = trimmed(&old[old_from..old_to], &new[new_from..new_to]);
        let region = ((old_from + from, old_from + to), (new_from + other_from, new_from + other_to));
        (old_at, new_at) = (old_to, new_to);
        match regions.last_mut() {
            Some(last) if region.0.0 - last.0.1 <= 2 * AROUND && region.0.1 - last.0.0 <= MAX_SPAN => {
                last.0.1 = region.0.1;
                last.1.1 = region.1.1;
            }
            _ => regions.push(region),
        }
    }
    (old[old_at..] == new[new_at..] && !regions.is_empty()).then_some(regions)
}

fn cut_out(old: &[&str], new: &[&str], region: Region) -> Window {
    let ((old_from, old_to), (new_from, new_to)) = region;
    let before = AROUND.min(old_from).min(new_from);
    let behind = AROUND.min(old.len() - old_to).min(new.len() - new_to);
    Window {
        start_line: old_from - before + 1,
        old: old[old_from - before..old_to + behind].concat(),
        new: new[new_from - before..new_to + behind].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Window, windows};

    fn numbered(count: usize) -> String {
        (1..=count).map(|n| ["line ", &n.to_string(), "\n"].concat()).collect()
    }

    #[test]
    fn a_window_is_the_change_and_its_neighbourhood() {
        let old = numbered(30);
        let new = old.replacen("line 15\n", "fifteen\n", 1);
        let expected = |middle: &str| {
            old.lines()
                .skip(6)
                .take(17)
                .map(|line| if line == "line 15" { format!("{middle}\n") } else { format!("{line}\n") })
                .collect::<String>()
        };
        let window = Window { start_line: 7, old: expected("line 15"), new: expected("fifteen") };
        assert_eq!(windows(&old, &new, &[]), [window]);
        assert_eq!(windows(&old, &old, &[]), []);
    }

    #[test]
    fn changes_far_apart_are_several_windows_if_the_hunks_fit() {
        let old = numbered(1000);
        let new = old.replace("line 2\n", "two\nand a half\n").replace("line 990\n", "");
        let fitting = [[1, 5, 1, 6], [987, 7, 988, 6]];
        let cut = windows(&old, &new, &fitting);
        assert_eq!(cut.iter().map(|window| window.start_line).collect::<Vec<_>>(), [1, 982]);
        assert!(cut[0].new.starts_with("line 1\ntwo\nand a half\nline 3\n"));
        assert!(cut[1].old.contains("line 990\n") && !cut[1].new.contains("line 990\n"));
        assert_eq!(windows(&old, &new, &[[1, 5, 1, 6]]).len(), 1);
        assert_eq!(windows(&old, &new, &[[usize::MAX, usize::MAX, 0, 3]]).len(), 1);
    }
}
