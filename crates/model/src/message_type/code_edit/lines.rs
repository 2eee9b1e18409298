//! Line counts and a plain diff, for one-line texts and export. What people read on the page is computed by `diff`.

/// Above this many comparisons the middle counts as replaced as a whole, so that a summary never takes long.
const MAX_WORK: usize = 1 << 20;

/// Lines added and removed between two texts, by the longest common subsequence of lines.
pub fn line_counts(old: &str, new: &str) -> (usize, usize) {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let (head, tail) = common_ends(&old, &new);
    let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let kept = if old.len().saturating_mul(new.len()) > MAX_WORK { 0 } else { longest_common(old, new) };
    (new.len() - kept, old.len() - kept)
}

/// A unified diff without hunk headers: the changed middle with up to three equal lines around it.
pub(super) fn diff(old: &str, new: &str) -> String {
    const AROUND: usize = 3;
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let (head, tail) = common_ends(&old, &new);
    let mut text = String::new();
    let mut push = |mark: char, lines: &[&str]| {
        for line in lines {
            text.push(mark);
            text.push_str(line);
            text.push('\n');
        }
    };
    push(' ', &old[head.saturating_sub(AROUND)..head]);
    push('-', &old[head..old.len() - tail]);
    push('+', &new[head..new.len() - tail]);
    push(' ', &old[old.len() - tail..][..tail.min(AROUND)]);
    text
}

/// How many lines are equal at the beginning, and after those at the end.
fn common_ends(old: &[&str], new: &[&str]) -> (usize, usize) {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    (head, tail)
}

fn longest_common(old: &[&str], new: &[&str]) -> usize {
    let mut row = vec![0; new.len() + 1];
    for a in old {
        let mut diagonal = 0;
        for (j, b) in new.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if a == b { diagonal + 1 } else { above.max(row[j]) };
            diagonal = above;
        }
    }
    row[new.len()]
}

#[cfg(test)]
mod tests {
    use super::{diff, line_counts};

    #[test]
    fn only_changed_lines_count() {
        assert_eq!(line_counts("a\nb\nc\nd\ne\n", "a\nB\nc\nD\ne\n"), (2, 2));
        assert_eq!(line_counts("", "a\nb\n"), (2, 0));
        assert_eq!(line_counts("a\nb", ""), (0, 2));
        assert_eq!(line_counts("a\na\n", "a\n"), (0, 1));
        assert_eq!(line_counts("same\n", "same\n"), (0, 0));
    }

    #[test]
    fn a_diff_has_three_lines_around_the_change() {
        assert_eq!(
            diff("1\n2\n3\n4\nx\n5\n6\n7\n8\n", "1\n2\n3\n4\ny\n5\n6\n7\n8\n"),
            " 2\n 3\n 4\n-x\n+y\n 5\n 6\n 7\n"
        );
    }
}
