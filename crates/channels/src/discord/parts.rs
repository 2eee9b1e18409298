//! A text as messages of bounded length: cut between lines where it can be, with code blocks closed and opened again.

/// The longest line that opens a code block again in the next part: longer ones lose their language.
const LONGEST_OPENING: usize = 100;

/// Cuts a text into parts of at most `most` units of UTF-16 each, as chats count. A text of nothing but spaces has none.
pub(super) fn parts(text: &str, most: usize) -> Vec<String> {
    let mut all = Parts { done: Vec::new(), part: String::new(), most };
    let mut open: Option<Fence> = None;
    for line in text.split_inclusive('\n') {
        let next = after(line, open.as_ref());
        let is_end = open.is_some() && next.is_none();
        let mut rest = line;
        loop {
            // There is always room for the end of a code block.
            let closing = open.as_ref().filter(|_| !is_end).map_or(0, |fence| fence.marks.len() + 1);
            let room = all.room().saturating_sub(closing);
            if units(rest.trim_end_matches('\n')) <= room {
                all.part.push_str(rest);
                break;
            }
            if all.is_fresh(open.as_ref()) {
                // A line that fills a part by itself is cut inside.
                let (head, tail) = rest.split_at(cut(rest, room.max(1)));
                all.part.push_str(head);
                rest = tail;
            }
            all.end(open.as_ref());
        }
        open = next;
    }
    all.end(None);
    all.done
}

/// A code block that is open.
#[derive(Clone)]
struct Fence {
    /// Its marks: three or more of one kind.
    marks: String,
    /// The line that opens it.
    opening: String,
}

struct Parts {
    done: Vec<String>,
    part: String,
    most: usize,
}

impl Parts {
    fn room(&self) -> usize {
        self.most.saturating_sub(units(&self.part))
    }

    /// Returns true if the current part only has the opening of a continued code block.
    fn is_fresh(&self, open: Option<&Fence>) -> bool {
        self.part.is_empty() || open.is_some_and(|fence| self.part == fence.opening)
    }

    fn end(&mut self, open: Option<&Fence>) {
        let mut part = std::mem::take(&mut self.part);
        if let Some(fence) = open {
            self.part.clone_from(&fence.opening);
            if let Some(before) = part.strip_suffix(&fence.opening) {
                // A code block that would be empty here.
                part.truncate(before.len());
            } else {
                if !part.ends_with('\n') {
                    part.push('\n');
                }
                part.push_str(&fence.marks);
            }
        }
        let part = part.trim_end();
        if !part.trim().is_empty() {
            self.done.push(part.to_owned());
        }
    }
}

/// The code block that is open behind a line.
fn after(line: &str, open: Option<&Fence>) -> Option<Fence> {
    let text = line.trim();
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~')).unwrap_or(' ');
    let marks: String = text.chars().take_while(|c| *c == mark).collect();
    let info = text.get(marks.len()..).unwrap_or_default();
    match open {
        _ if mark == ' ' || marks.len() < 3 => open.cloned(),
        Some(fence) if marks.starts_with(&fence.marks) && info.is_empty() => None,
        Some(fence) => Some(fence.clone()),
        // A line with such marks behind them too is code within a line.
        None if info.contains(mark) => None,
        None => {
            let opening = if text.len() > LONGEST_OPENING { &marks } else { text };
            Some(Fence { opening: format!("{opening}\n"), marks })
        }
    }
}

/// Units of UTF-16.
fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The byte behind as many whole characters as take at most so many units, at least one.
fn cut(text: &str, most: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.len_utf16();
        if used > most && at > 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{parts, units};

    fn check(text: &str, most: usize, expected: &[&str]) {
        let cut = parts(text, most);
        assert_eq!(cut, expected);
        assert!(cut.iter().all(|part| units(part) <= most), "{cut:?}");
    }

    #[test]
    fn a_short_text_is_one_part_and_a_long_one_is_cut_between_lines() {
        check("Done", 20, &["Done"]);
        check(" \n", 20, &[]);
        check("one two\nthree\nfour five\n", 14, &["one two\nthree", "four five"]);
        check("abcdefghij", 4, &["abcd", "efgh", "ij"]);
        // Two units each, never halved.
        check("😀😀😀", 5, &["😀😀", "😀"]);
    }

    #[test]
    fn a_code_block_is_closed_and_opened_again() {
        let code = "Look:\n```rust\nlet a = 1;\nlet b = 2;\nlet c = 3;\n```\nThat was it";
        let cut =
            ["Look:\n```rust\nlet a = 1;\n```", "```rust\nlet b = 2;\n```", "```rust\nlet c = 3;\n```", "That was it"];
        check(code, 29, &cut);
        // Without room for a line of it, a block begins in the next part.
        check(code, 24, &["Look:", "```rust\nlet a = 1;\n```", cut[1], cut[2], cut[3]]);
        // A line that is longer than a part.
        check("```\nabcdefghij\n```", 13, &["```\nabcde\n```", "```\nfghij\n```"]);
        // Marks within a block that are none of its own.
        check("````\n```\na\n````", 100, &["````\n```\na\n````"]);
    }
}
