//! A difference as hunks of a unified diff.

use std::ops::Range;

use crate::compare::Bound;
use crate::{Spaces, compare, lines};

/// A changed place with the lines around it, from 0 within the texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchHunk {
    /// Lines of the old text, context included.
    pub old: Range<u32>,
    /// Lines of the new text, context included.
    pub new: Range<u32>,
    /// Lines with their signs, and `\ No newline at end of file` where it is so.
    pub text: String,
}

/// Returns the hunks between two texts, with `context` unchanged lines around them. Near ones are one.
pub fn hunks(old: &str, new: &str, context: u32) -> Vec<PatchHunk> {
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) = (lines::raw(old).collect(), lines::raw(new).collect());
    let ends = (old_lines.len() as u32, new_lines.len() as u32);
    let changes = compare::changes(old, new, Spaces::Matter, Bound::among(1)).hunks;
    let is_near = |a: &imara_diff::Hunk, b: &imara_diff::Hunk| b.before.start - a.before.end <= 2 * context;
    let join = |near: &[imara_diff::Hunk]| {
        let (first, last) = (near.first()?, near.last()?);
        let before = context.min(first.before.start);
        let behind = context.min(ends.0 - last.before.end);
        let mut text = String::new();
        let mut at = first.before.start - before;
        let old_range = at..last.before.end + behind;
        for change in near {
            write(&mut text, ' ', &old_lines[at as usize..change.before.start as usize]);
            write(&mut text, '-', &old_lines[change.before.start as usize..change.before.end as usize]);
            write(&mut text, '+', &new_lines[change.after.start as usize..change.after.end as usize]);
            at = change.before.end;
        }
        write(&mut text, ' ', &old_lines[at as usize..old_range.end as usize]);
        Some(PatchHunk { old: old_range, new: first.after.start - before..last.after.end + behind, text })
    };
    changes.chunk_by(is_near).filter_map(join).collect()
}

fn write(text: &mut String, sign: char, lines: &[&str]) {
    for line in lines {
        text.push(sign);
        text.push_str(line);
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}
