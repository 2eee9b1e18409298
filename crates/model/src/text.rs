//! Cutting and fencing text.

use std::borrow::Cow;

/// Longest title that is made of a message.
const TITLE_CHARS: usize = 120;

/// Runs of white space become one space; over `max` characters the text is cut and ends with `…`.
pub fn one_line(text: &str, max: usize) -> String {
    let mut line = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        if chars > 0 {
            line.push(' ');
            chars += 1;
        }
        line.push_str(word);
        chars += word.chars().count();
        if chars > max {
            return clip(&line, max);
        }
    }
    line
}

/// Does a text say nothing: is it empty, or made of spaces and of signs that nobody sees?
pub fn is_blank(text: &str) -> bool {
    let unseen = |c| {
        matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}')
    };
    text.chars().all(|c| c.is_whitespace() || c.is_control() || unseen(c))
}

/// A message as the title of its session: one line of at most 120 characters, cut between words, without markdown's marks of
/// headings, quotes, lists, emphasis and code, which are noise there.
pub fn title(markdown: &str) -> String {
    let beginning = markdown.char_indices().nth(20 * TITLE_CHARS).map_or(markdown, |(at, _)| &markdown[..at]);
    let mut line = String::new();
    let mut chars = 0;
    for word in beginning.lines().flat_map(|line| item(block(line)).split_whitespace()) {
        let plain = if word.contains(['*', '`']) {
            Cow::Owned(word.replace("**", "").replace('`', ""))
        } else {
            Cow::Borrowed(word)
        };
        if plain.is_empty() {
            continue;
        }
        if chars > 0 {
            line.push(' ');
            chars += 1;
        }
        line.push_str(&plain);
        chars += plain.chars().count();
        // What comes behind has no say in where it is cut.
        if chars > TITLE_CHARS {
            break;
        }
    }
    let Some((end, _)) = line.char_indices().nth(TITLE_CHARS) else { return line };
    let end = line[..end].char_indices().next_back().map_or(end, |(last, _)| last);
    // A word as long as half of the title is cut all the same: there are languages without spaces.
    let cut = if line[end..].starts_with(' ') {
        end
    } else {
        line[..end].rfind(' ').filter(|at| *at > end / 2).unwrap_or(end)
    };
    format!("{}…", line[..cut].trim_end())
}

/// A line without the mark of a list.
fn item(line: &str) -> &str {
    let line = line.trim_start();
    ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "\u{2022} "]
        .into_iter()
        .find_map(|mark| line.strip_prefix(mark))
        .unwrap_or(line)
}

/// How much a prompt says of its session, as the title that it is until there is a better one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TitleWorth {
    /// `/clear`, with words behind it or without.
    Command,
    /// A number from a menu, a yes.
    Word,
    Sentence,
}

/// Fewer characters say nothing of a session.
const MIN_TITLE: usize = 4;

impl TitleWorth {
    pub fn of(prompt: &str) -> Self {
        let prompt = prompt.trim();
        let first = prompt.split_whitespace().next().unwrap_or_default();
        // A path has more than one slash. Languages without spaces say much in one word.
        let command = first.strip_prefix('/').is_some_and(|name| !name.is_empty() && !name.contains('/'));
        let word = first.len() == prompt.len() && prompt.is_ascii();
        match () {
            () if command => Self::Command,
            () if word || prompt.chars().nth(MIN_TITLE - 1).is_none() => Self::Word,
            () => Self::Sentence,
        }
    }
}

/// What an agent says as if it were the host, `<host>...</host>`: the words between. None for any other text.
pub fn as_host(text: &str) -> Option<&str> {
    Some(text.trim().strip_prefix("<host>")?.strip_suffix("</host>")?.trim())
}

/// A line without the mark of its block.
pub(crate) fn block(line: &str) -> &str {
    let line = line.trim_start();
    let rest = line.trim_start_matches(['#', '>']);
    // `#12` is a number of something.
    if rest.is_empty() || rest.starts_with(' ') { rest } else { line }
}

/// At most `max` characters, the last of them `…` where something was cut.
pub fn clip(text: &str, max: usize) -> String {
    if text.char_indices().nth(max).is_none() {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(max.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// A fenced code block; the fence is longer than any run of backticks inside.
pub(crate) fn fence(language: &str, code: &str) -> String {
    let marks = "`".repeat(longest_run(code).max(2) + 1);
    let end = if code.is_empty() || code.ends_with('\n') { "" } else { "\n" };
    format!("{marks}{language}\n{code}{end}{marks}")
}

/// An inline code span of one line.
pub(crate) fn code(text: &str) -> String {
    let marks = "`".repeat(longest_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{marks}{pad}{text}{pad}{marks}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// `3 files`, `1 file`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::{as_host, clip, code, fence, one_line, title};

    #[test]
    fn a_title_has_no_marks() {
        assert_eq!(title("Implement this:\n\n# Plan: **fix** `mv`\n> soon"), "Implement this: Plan: fix mv soon");
        assert_eq!(title("#12 and C# > D\n##\n"), "#12 and C# > D");
        assert_eq!(title("brainstorm:\n- gear\n* [wheels](x)\n-1 and - 2"), "brainstorm: gear [wheels](x) -1 and - 2");
        assert_eq!(title(&"é".repeat(200)), format!("{}…", "é".repeat(119)));
    }

    #[test]
    fn a_title_ends_with_a_whole_word() {
        assert_eq!(title(&"orchard ".repeat(20)), format!("{}…", "orchard ".repeat(15).trim_end()));
        let exact = format!("{} {}", "a".repeat(60), "b".repeat(59));
        assert_eq!(title(&exact), exact);
        assert_eq!(title("To be continued…"), "To be continued…");
    }

    #[test]
    fn only_a_text_that_is_wrapped_whole_is_the_hosts() {
        let cases = [
            ("<host>x</host>", Some("x")),
            (" <host>\n x \n</host> ", Some("x")),
            ("<host></host>", Some("")),
            ("<host><b>x</b></host>", Some("<b>x</b>")),
            ("<host>a</host><host>b</host>", Some("a</host><host>b")),
            ("a <host>x</host>", None),
            ("<host>x", None),
            ("", None),
        ];
        for (text, words) in cases {
            assert_eq!(as_host(text), words, "{text}");
        }
    }

    #[test]
    fn lines_are_joined_and_cut_by_characters() {
        assert_eq!(one_line("  a\n\n b\tc ", 10), "a b c");
        assert_eq!(one_line("ääää öööö", 6), "ääää …");
        assert_eq!(clip("abc", 3), "abc");
        assert_eq!(clip("abcd", 3), "ab…");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fence("md", "```\nx\n```"), "````md\n```\nx\n```\n````");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`b"), "`` `b ``");
    }
}
