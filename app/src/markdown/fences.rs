//! Fences of code. Agents show markdown in blocks of markdown whose inner fences are as long as the outer ones: for
//! `CommonMark` the first inner fence ends the block. Here the fences of such a block are made longer, so that every
//! reader of the text finds the end that was meant.

use std::borrow::Cow;

/// With more fences a text is taken as `CommonMark` takes it.
const MAX_FENCES: usize = 200;

/// Languages whose blocks hold fences of their own.
const MARKDOWN: [&str; 8] = ["markdown", "md", "mdx", "mdc", "rmd", "qmd", "quarto", "gfm"];

/// The state at the end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// All is there: what is open at the end was most likely meant to be closed.
    Final,
    /// More is to come: what was decided of the fences before stays as it is.
    Growing,
}

/// A line that opens or closes a code block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fence {
    pub sign: char,
    pub length: usize,
    /// White space before it, in bytes.
    pub indent: usize,
}

impl Fence {
    pub fn open(line: &str) -> Option<Self> {
        let marks = line.trim_start_matches([' ', '\t']);
        let sign = marks.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let after = marks.trim_start_matches(sign);
        let length = marks.len() - after.len();
        let is_open = length >= 3 && (sign == '~' || !after.contains('`'));
        is_open.then_some(Self { sign, length, indent: line.len() - marks.len() })
    }

    /// Returns the text after the fence.
    pub fn label<'t>(&self, line: &'t str) -> &'t str {
        line.trim_start().trim_start_matches(self.sign).trim()
    }

    pub fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|c| c == self.sign)
    }
}

/// A line that is a fence.
struct Mark {
    fence: Fence,
    /// Where its line begins.
    at: usize,
    /// Nothing stands behind it, so it may also close a block.
    bare: bool,
    holds_markdown: bool,
    /// True if a line that ends with a colon introduces it, and code follows.
    introduced: bool,
}

impl Mark {
    /// Returns true if this one can be a fence inside the block that `self` opens.
    fn may_hold(&self, inner: &Self) -> bool {
        let (outer, inner) = (self.fence, inner.fence);
        outer.sign == inner.sign && inner.length >= outer.length && inner.indent < outer.indent + 4
    }
}

/// The text with longer fences around blocks that hold fences of the same length.
pub(super) fn separated(text: &str, ending: Ending) -> Cow<'_, str> {
    let marks = marks(text);
    if marks.len() < 3 || marks.len() > MAX_FENCES {
        return Cow::Borrowed(text);
    }
    let closed = closed_to_the_end(&marks);
    // Where signs are to be added, and how many.
    let mut longer: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(open) = marks.get(at) {
        let first = first_end(&marks, at);
        let end = match ending {
            Ending::Final => end(&marks, &closed, at),
            Ending::Growing if open.holds_markdown => nested_end(&marks, at),
            Ending::Growing => first,
        };
        let last = end.unwrap_or(marks.len());
        if end != first {
            let inside = marks.get(at + 1..last).unwrap_or_default();
            let longest = inside.iter().filter(|inner| open.may_hold(inner)).map(|inner| inner.fence.length).max();
            let length = longest.unwrap_or(open.fence.length) + 1;
            for fence in [Some(open), end.and_then(|end| marks.get(end))].into_iter().flatten() {
                longer.push((fence.at + fence.fence.indent, length.saturating_sub(fence.fence.length)));
            }
        }
        at = last + 1;
    }
    if longer.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    let mut copied = 0;
    for (at, more) in longer {
        let (before, sign) = (text.get(copied..at).unwrap_or_default(), text.get(at..=at).unwrap_or_default());
        out.push_str(before);
        out.push_str(&sign.repeat(more));
        copied = at;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// Does a place of a text that grows lie between fences, as [`separated`] pairs them? `CommonMark` may not think so,
/// since it takes no fence in a block of HTML: read from there on alone, the text would have other pairs.
pub(super) fn is_between(text: &str, place: usize) -> bool {
    let marks = marks(text);
    let mut at = 0;
    while let Some(open) = marks.get(at).filter(|open| open.at < place) {
        let end = if open.holds_markdown { nested_end(&marks, at) } else { first_end(&marks, at) };
        match end.filter(|end| marks.get(*end).is_some_and(|mark| mark.at < place)) {
            Some(end) => at = end + 1,
            None => return true,
        }
    }
    false
}

fn marks(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut at = 0;
    let mut introduces = false;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if let Some(fence) = Fence::open(line) {
            let label = fence.label(line);
            let language = label.split([' ', ',', '{', ':']).next().unwrap_or_default();
            let followed = lines.peek().is_some_and(|next| !next.trim().is_empty());
            marks.push(Mark {
                fence,
                at,
                bare: label.is_empty(),
                holds_markdown: MARKDOWN.iter().any(|name| name.eq_ignore_ascii_case(language)),
                introduced: introduces && followed,
            });
            introduces = false;
        } else if !line.trim().is_empty() {
            introduces = line.trim_end().trim_end_matches('*').ends_with([':', '\u{ff1a}']);
        }
        at += line.len();
    }
    marks
}

/// The end that `CommonMark` finds.
fn first_end(marks: &[Mark], at: usize) -> Option<usize> {
    let open = marks.get(at)?;
    let mut after = marks.iter().enumerate().skip(at + 1);
    after.find(|(_, mark)| mark.bare && open.may_hold(mark)).map(|(end, _)| end)
}

/// The end of a block of markdown of which nothing is known but what stands before: fences with a language open blocks
/// in it, and so do those that are introduced.
fn nested_end(marks: &[Mark], at: usize) -> Option<usize> {
    walk(marks, at, |_, mark| !mark.introduced)
}

/// Looks for the end of the block at `at`, through the blocks that it holds. `ends` decides on each fence that could be
/// it; the others open a block.
fn walk(marks: &[Mark], at: usize, ends: impl Fn(usize, &Mark) -> bool) -> Option<usize> {
    let open = marks.get(at)?;
    let mut inner: Vec<&Mark> = Vec::new();
    for (index, mark) in marks.iter().enumerate().skip(at + 1).filter(|(_, mark)| open.may_hold(mark)) {
        match inner.last() {
            Some(last) if mark.bare && mark.fence.length >= last.fence.length => {
                inner.pop();
            }
            Some(last) if mark.bare || !last.holds_markdown => {}
            None if mark.bare && ends(index, mark) => return Some(index),
            _ => inner.push(mark),
        }
    }
    None
}

/// Returns for each fence whether all blocks are closed if one begins there.
fn closed_to_the_end(marks: &[Mark]) -> Vec<bool> {
    let mut closed = vec![true; marks.len() + 1];
    for (at, mark) in marks.iter().enumerate().rev() {
        let end = if mark.holds_markdown { nested_end(marks, at) } else { first_end(marks, at) };
        let is_closed = end.is_some_and(|end| closed.get(end + 1).copied().unwrap_or(true));
        if let Some(known) = closed.get_mut(at) {
            *known = is_closed;
        }
    }
    closed
}

/// The first end with which nothing is left open behind it.
fn end(marks: &[Mark], closed: &[bool], at: usize) -> Option<usize> {
    let open = marks.get(at)?;
    let leaves_nothing_open = |end: usize| closed.get(end + 1).copied().unwrap_or(true);
    let first = first_end(marks, at);
    if !open.holds_markdown && first.is_some_and(leaves_nothing_open) {
        return first;
    }
    let usual = if open.holds_markdown { nested_end(marks, at) } else { None };
    usual
        .filter(|end| leaves_nothing_open(*end))
        .or_else(|| walk(marks, at, |end, mark| !mark.introduced && leaves_nothing_open(end)))
        .or_else(|| walk(marks, at, |end, _| leaves_nothing_open(end)))
        .or(usual)
        .or(first)
}

#[cfg(test)]
mod tests {
    use super::{Ending, separated};

    type Lines = &'static [(usize, Option<usize>)];

    /// The lines that are fences of the outermost blocks, as line numbers in pairs.
    fn blocks(text: &str, ending: Ending) -> Vec<(usize, Option<usize>)> {
        let text = separated(text, ending);
        let mut blocks = Vec::new();
        let mut open: Option<(usize, super::Fence)> = None;
        for (number, line) in text.lines().enumerate() {
            match open {
                Some((start, fence)) if fence.is_closed_by(line) => {
                    blocks.push((start, Some(number)));
                    open = None;
                }
                None => open = super::Fence::open(line).map(|fence| (number, fence)),
                Some(_) => {}
            }
        }
        blocks.extend(open.map(|(start, _)| (start, None)));
        blocks
    }

    #[test]
    fn a_block_of_markdown_ends_where_it_was_meant_to() {
        let cases: [(&str, Lines); 10] = [
            ("```markdown\n# A\n```bash\nls\n```\nmore\n```\n\nAfter", &[(0, Some(6))]),
            ("```md\nExample:\n```\nx\n```\n## B\n```json\n{}\n```\n```\n\nAfter", &[(0, Some(9))]),
            ("```md\nSee this\n```\nx\n```\n## B\n```json\n{}\n```\n```\n\nAfter", &[(0, Some(9))]),
            ("~~~markdown\n~~~sh\nls\n~~~\n~~~\nAfter", &[(0, Some(4))]),
            ("```\n# A\n```js\n1\n```\n```\nAfter", &[(0, Some(5))]),
            ("```md\n```md\n```js\n1\n```\n```\n```\nAfter", &[(0, Some(6))]),
            // As CommonMark has it.
            ("```md\n# A\n```\n\ntext\n\n```\nx\n```\n", &[(0, Some(2)), (6, Some(8))]),
            ("```py\nprint('''\n```json\n''')\n```\n\n```js\n1\n```\n", &[(0, Some(4)), (6, Some(8))]),
            ("````md\n```js\n1\n```\n````\n```js\n1\n```\n", &[(0, Some(4)), (5, Some(7))]),
            // Cut off: what is whole stays whole.
            ("```js\n1\n```\n\n```\nx\n```\n\n```rust\nfn a", &[(0, Some(2)), (4, Some(6)), (8, None)]),
        ];
        for (text, expected) in cases {
            assert_eq!(blocks(text, Ending::Final), expected, "{text}");
        }
    }

    #[test]
    fn while_it_grows_a_block_of_markdown_stays_open() {
        let text = "```md\n```js\n1\n```\nmore\n```\nAfter";
        assert_eq!(blocks("```md\n```js\n1\n```\nmore", Ending::Growing), [(0, None)]);
        assert_eq!(blocks(text, Ending::Growing), [(0, Some(5))]);
        assert_eq!(blocks("```js\n1\n```\nmore\n```", Ending::Growing), [(0, Some(2)), (4, None)]);
    }
}
