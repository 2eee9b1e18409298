//! Blocks that were removed in one place and added in another.

use std::collections::HashMap;

use imara_diff::Hunk;

/// A shorter block counts as moved only if it holds [`MIN_CHARS`].
const MIN_LINES: usize = 3;
/// Characters but for spaces.
const MIN_CHARS: usize = 40;
/// Equal lines that are tried for one line: of closing brackets there are many.
const MAX_TRIES: usize = 16;
/// Most lines that are looked at in one file; what moved beyond isn't found. Of equal lines there may be thousands.
const MAX_LOOKS: usize = 4_000_000;
/// Lines that are looked at in each of many files that are drawn together, at least.
const FEWEST_LOOKS: usize = 100_000;

/// For each moved line the line of the other side.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    old: HashMap<usize, u32>,
    new: HashMap<usize, u32>,
}

impl Moves {
    pub(crate) fn of_old(&self, line: usize) -> Option<u32> {
        self.old.get(&line).copied()
    }

    pub(crate) fn of_new(&self, line: usize) -> Option<u32> {
        self.new.get(&line).copied()
    }
}

/// Lines are equal if they are so but for their indentation. What stays in its hunk wasn't moved but indented. `among` is the
/// number of files that share the bound on work.
pub(crate) fn find(old: &[&str], new: &[&str], hunks: &[Hunk], among: usize) -> Moves {
    let mut looks = (MAX_LOOKS / among.max(1)).max(FEWEST_LOOKS);
    let mut moves = Moves::default();
    if hunks.len() < 2 {
        return moves;
    }
    let mut removed: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    for (number, hunk) in hunks.iter().enumerate() {
        let range = hunk.before.start as usize..hunk.before.end as usize;
        for (at, line) in range.clone().zip(&old[range]) {
            if !line.trim().is_empty() {
                removed.entry(line.trim()).or_default().push((number, at));
            }
        }
    }
    for (number, hunk) in hunks.iter().enumerate() {
        let end = hunk.after.end as usize;
        let mut at = hunk.after.start as usize;
        while at < end && looks > 0 {
            let tries = removed.get(new[at].trim()).map_or(&[][..], Vec::as_slice);
            let mut block: Option<(usize, usize)> = None;
            let mut tried = 0;
            for &(from, start) in tries {
                looks = looks.saturating_sub(1);
                if from == number || moves.old.contains_key(&start) {
                    continue;
                }
                let (length, looked) = equal(&old[start..hunks[from].before.end as usize], &new[at..end]);
                looks = looks.saturating_sub(looked);
                if block.is_none_or(|(longest, _)| length > longest) {
                    block = Some((length, start));
                }
                tried += 1;
                if tried == MAX_TRIES || looks == 0 {
                    break;
                }
            }
            match block.filter(|(length, _)| is_enough(&new[at..at + length])) {
                Some((length, start)) => {
                    for step in 0..length {
                        moves.old.insert(start + step, (at + step) as u32);
                        moves.new.insert(at + step, (start + step) as u32);
                    }
                    at += length;
                }
                None => at += 1,
            }
        }
    }
    moves
}

/// How many lines are equal, and how many were looked at.
fn equal(old: &[&str], new: &[&str]) -> (usize, usize) {
    let same = old.iter().zip(new).take_while(|(old, new)| old.trim() == new.trim()).count();
    // A blank line at the end belongs to whatever follows.
    (same - new[..same].iter().rev().take_while(|line| line.trim().is_empty()).count(), same)
}

fn is_enough(block: &[&str]) -> bool {
    let chars: usize = block.iter().map(|line| line.chars().filter(|char| !char.is_whitespace()).count()).sum();
    let lines = block.iter().filter(|line| line.chars().any(char::is_alphanumeric)).count();
    lines >= MIN_LINES || chars >= MIN_CHARS
}
