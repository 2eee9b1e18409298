//! Cuts and formats text.

use std::borrow::Cow;

/// Maximum length of a title that is made from a message.
const TITLE_CHARS: usize = 120;

/// Returns the text in one line: runs of white space become one space; if it is longer than `max` characters, it is cut
/// and ends with `…`.
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

/// Returns true if a text is empty, or only has white space and invisible characters.
pub fn is_blank(text: &str) -> bool {
    let unseen = |c| {
        matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}')
    };
    text.chars().all(|c| c.is_whitespace() || c.is_control() || unseen(c))
}

/// Prefix of a prompt with a plan. It is the same in all sessions.
const BEFORE_A_PLAN: &str = "Implement the following plan:";

/// Returns a session's title without the prefix of a plan, so that it begins with the plan's own heading.
pub fn of_a_plan(title: String) -> String {
    let plan = title.strip_prefix(BEFORE_A_PLAN).map(str::trim_start);
    let heading = plan.map(|plan| plan.strip_prefix("Plan:").map_or(plan, str::trim_start));
    match heading.filter(|heading| !heading.is_empty()) {
        Some(heading) => heading.to_owned(),
        None => title,
    }
}

/// Minimum width of a heading, or of text before one, to be a title by itself.
const HEADING_SAYS: usize = 12;

/// Minimum width of a paragraph to be a title by itself. Only an empty line separates it from the next.
const PARAGRAPH_SAYS: usize = 24;

/// Returns a title of a session from its first message: one line of at most 120 characters, cut between words, without
/// markdown's marks of headings, quotes, lists, emphasis and code. It ends where the subject of the message is clear.
pub fn title(markdown: &str) -> String {
    let beginning = markdown.char_indices().nth(20 * TITLE_CHARS).map_or(markdown, |(at, _)| &markdown[..at]);
    let mut line = String::new();
    let mut chars = 0;
    for word in without_bold(opening(beginning)).lines().flat_map(|line| item(block(line)).split_whitespace()) {
        let plain = word.replace('`', "");
        if plain.is_empty() {
            continue;
        }
        if chars > 0 {
            line.push(' ');
            chars += 1;
        }
        line.push_str(&plain);
        chars += plain.chars().count();
        // Text after this point can't change where the title is cut.
        if chars > TITLE_CHARS {
            break;
        }
    }
    let Some((end, _)) = line.char_indices().nth(TITLE_CHARS) else { return line };
    let end = line[..end].char_indices().next_back().map_or(end, |(last, _)| last);
    // A word longer than half of the title is cut in the middle: some languages have no spaces.
    let cut = if line[end..].starts_with(' ') {
        end
    } else {
        line[..end].rfind(' ').filter(|at| *at > end / 2).unwrap_or(end)
    };
    format!("{}…", line[..cut].trim_end())
}

/// Returns the text without markdown's marks of bold text. Other asterisks stay: `**kwargs`, `src/**/*.rs`.
pub fn without_bold(text: &str) -> Cow<'_, str> {
    // Only letters of scripts that put spaces around words.
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let is_pattern = |c: Option<char>| matches!(c, Some('/' | '\\' | '*'));
    let mut marks: Vec<usize> = Vec::new();
    let mut open = None;
    for (at, mark) in text.match_indices("**") {
        let before = text[..at].chars().next_back();
        let mut beyond = text[at + mark.len()..].chars();
        let after = beyond.next();
        let suffix = after == Some('.') && is_letter(beyond.next());
        if is_pattern(before) || is_pattern(after) || suffix {
            continue;
        }
        match open {
            Some(start) if !is_space(before) && !is_letter(after) => {
                marks.extend([start, at]);
                open = None;
            }
            _ if !is_letter(before) && !is_space(after) => open = Some(at),
            _ => {}
        }
    }
    if marks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for mark in marks {
        out.push_str(&text[at..mark]);
        at = mark + "**".len();
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// Returns the start of a message, up to the end of its first meaningful heading or paragraph. In one line, a heading
/// couldn't be distinguished from the text after it.
fn opening(markdown: &str) -> &str {
    let (mut fenced, mut gap) = (false, false);
    let (mut paragraph, mut at) = (0, 0);
    for line in markdown.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let in_code = fenced;
        fenced ^= line.trim_start().starts_with("```");
        // Comments in a code block look like headings.
        if in_code {
            continue;
        }
        if line.trim().is_empty() {
            gap = true;
            continue;
        }
        let above = &markdown[paragraph..start];
        if is_heading(line) {
            if says(above, HEADING_SAYS) {
                return &markdown[..start];
            }
            if says(block(line), HEADING_SAYS) {
                return &markdown[..at];
            }
            (paragraph, gap) = (at, false);
        } else if std::mem::take(&mut gap) {
            if says(above, PARAGRAPH_SAYS) {
                return &markdown[..start];
            }
            paragraph = start;
        }
    }
    markdown
}

fn is_heading(line: &str) -> bool {
    let rest = line.trim_start().trim_start_matches('#');
    let marks = line.trim_start().len() - rest.len();
    (1..=6).contains(&marks) && rest.starts_with([' ', '\t']) && !rest.trim().is_empty()
}

/// Returns true if a text is complete by itself. Links, paths and introductions of something aren't.
fn says(text: &str, least: usize) -> bool {
    let text = text.trim().trim_end_matches(['*', '_', '`']);
    // A character of a language without spaces counts as two, because it is wide and has much meaning.
    let width: usize = text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
    let words = text.split_whitespace().nth(1).is_some() || !text.is_ascii();
    words && width >= least && !text.ends_with([':', ',', ';', ']', '\u{ff1a}', '\u{ff0c}', '\u{3001}'])
}

/// Returns a line without a list mark.
fn item(line: &str) -> &str {
    let line = line.trim_start();
    ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "\u{2022} "]
        .into_iter()
        .find_map(|mark| line.strip_prefix(mark))
        .unwrap_or(line)
}

/// How well a prompt describes its session, as a provisional title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TitleWorth {
    /// `/review`, `/model opus`: a command with at most two words. `! make`: a shell command.
    Command,
    /// A number of a menu, or a "yes".
    Word,
    /// Anything that describes the subject of the session.
    Sentence,
}

/// Minimum number of characters of a descriptive title.
const MIN_TITLE: usize = 4;

/// Number of words after a command that describe a task.
const TASK_WORDS: usize = 3;

/// Commands about the conversation itself. Even with words after them they don't describe its subject.
const ABOUT_CONTEXT: [&str; 2] = ["/clear", "/compact"];

impl TitleWorth {
    /// Rates a prompt.
    pub fn of(prompt: &str) -> Self {
        let prompt = prompt.trim();
        let first = prompt.split_whitespace().next().unwrap_or_default();
        // A path has more than one slash. Languages without spaces say much in one word.
        let command = first.strip_prefix('/').is_some_and(|name| !name.is_empty() && !name.contains('/'));
        let behind = prompt.strip_prefix(first).unwrap_or_default();
        let task = behind.split_whitespace().nth(TASK_WORDS - 1).is_some()
            || behind.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).nth(MIN_TITLE - 1).is_some();
        let word = first.len() == prompt.len() && prompt.is_ascii();
        match () {
            () if first == "!" => Self::Command,
            () if command && (!task || ABOUT_CONTEXT.contains(&first)) => Self::Command,
            () if word || prompt.chars().nth(MIN_TITLE - 1).is_none() => Self::Word,
            () => Self::Sentence,
        }
    }
}

/// Returns the text between `<host>` and `</host>`, by which an agent imitates the host. None for any other text.
pub fn as_host(text: &str) -> Option<&str> {
    Some(text.trim().strip_prefix("<host>")?.strip_suffix("</host>")?.trim())
}

/// Returns a line without the mark of its block.
pub(crate) fn block(line: &str) -> &str {
    let line = line.trim_start();
    let rest = line.trim_start_matches(['#', '>']);
    // `#12` is an issue number, not a heading.
    if rest.is_empty() || rest.starts_with(' ') { rest } else { line }
}

/// Returns at most `max` characters, ending with `…` if it was cut.
pub fn clip(text: &str, max: usize) -> String {
    if text.char_indices().nth(max).is_none() {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(max.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Returns a fenced code block of markdown; the fence is longer than any run of backticks inside.
pub fn fence(language: &str, code: &str) -> String {
    let marks = "`".repeat(longest_run(code).max(2) + 1);
    let end = if code.is_empty() || code.ends_with('\n') { "" } else { "\n" };
    format!("{marks}{language}\n{code}{end}{marks}")
}

/// Returns an inline code span of one line.
pub(crate) fn code(text: &str) -> String {
    let marks = "`".repeat(longest_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{marks}{pad}{text}{pad}{marks}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Returns a count with its noun: `3 files`, `1 file`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// Formats a number for people: integers with groups of three digits, others with at most two decimals, numbers of more
/// than 15 digits with a power of ten. `1,204`, `−3.25`, `2.5e20`.
pub fn amount(number: f64) -> String {
    const EXACT: f64 = 1e15;
    if number.abs() >= EXACT || (number != 0.0 && number.abs() < 0.005) {
        let rounded = format!("{number:.3e}").replace('-', "\u{2212}");
        let (digits, power) = rounded.split_once('e').unwrap_or((&rounded, "0"));
        return format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'));
    }
    let rounded = format!("{:.2}", number.abs());
    let (whole, decimals) = rounded.split_once('.').unwrap_or((&rounded, ""));
    let mut text = String::new();
    if number < 0.0 && rounded != "0.00" {
        text.push('\u{2212}');
    }
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    let decimals = decimals.trim_end_matches('0');
    if decimals.is_empty() { text } else { format!("{text}.{decimals}") }
}

#[cfg(test)]
mod tests {
    use super::{TitleWorth, amount, as_host, clip, code, fence, of_a_plan, one_line, title};

    #[test]
    fn numbers_are_read_easily() {
        let numbers = [0.0, -0.0, 999.0, 1_204.0, -1_234_567.891, 0.1 + 0.2, 99.999, 1e15, -2.5e20, 0.000_04];
        let texts =
            ["0", "0", "999", "1,204", "\u{2212}1,234,567.89", "0.3", "100", "1e15", "\u{2212}2.5e20", "4e\u{2212}5"];
        assert_eq!(numbers.map(amount), texts);
    }

    #[test]
    fn a_session_with_a_plan_is_called_as_the_plan() {
        let titles = [
            "Implement the following plan: Plan: Mend the roof",
            "Implement the following plan: Two oars",
            "Implement the following plan:",
            "Plan: Mend",
        ];
        let shown = titles.map(|title| of_a_plan(title.to_owned()));
        assert_eq!(shown, ["Mend the roof", "Two oars", "Implement the following plan:", "Plan: Mend"]);
    }

    #[test]
    fn a_title_has_no_marks() {
        assert_eq!(title("Implement this:\n\n# Plan: **fix** `mv`\n> soon"), "Implement this: Plan: fix mv");
        assert_eq!(title("Implement this:\n> **fix** `mv`\n> soon"), "Implement this: fix mv soon");
        assert_eq!(title("#12 and C# > D\n##\n"), "#12 and C# > D");
        assert_eq!(title("brainstorm:\n- gear\n* [wheels](x)\n-1 and - 2"), "brainstorm: gear [wheels](x) -1 and - 2");
        assert_eq!(title(&"é".repeat(200)), format!("{}…", "é".repeat(119)));
    }

    #[test]
    fn a_title_keeps_the_signs_of_names() {
        for title_as_typed in [
            "Find src/**/*.rs and **/*.ts",
            "def f(**kwargs) and g(*args, **kwargs)",
            "_foo_ in C:\\new\\_temp\\*.log",
            "a ** b is 2 ** 3",
            "*one* of ~~two~~",
        ] {
            assert_eq!(title(title_as_typed), title_as_typed);
        }
        assert_eq!(title("请看**重点**的说明: **Plan:** and **`mv` it**"), "请看重点的说明: Plan: and mv it");
    }

    #[test]
    fn a_title_ends_where_something_was_said() {
        let cases = [
            // A heading, and one behind an introduction.
            ("# Mend the roof\n\n## Why\n\nIt leaks.", "Mend the roof"),
            ("Do this:\n\n# Plan: Mend the roof\n\n## Why\n\nIt leaks.", "Do this: Plan: Mend the roof"),
            ("# Mend the roof\r\nIt leaks.\r\n", "Mend the roof"),
            ("## 修复屋顶漏水\n\n漏水了", "修复屋顶漏水"),
            // Before a heading, and before an empty line.
            ("Mend the roof\n## Why\nIt leaks.", "Mend the roof"),
            ("The roof leaks when it rains.\n \nAnd the door creaks.", "The roof leaks when it rains."),
            ("The roof leaks\nwhen it rains.\n\nAnd the door creaks.", "The roof leaks when it rains."),
            // A heading without meaning by itself continues.
            ("# Plan\n\n## Goal\n\nMend the roof", "Plan Goal Mend the roof"),
            ("Thanks!\n\nMend the roof", "Thanks! Mend the roof"),
            ("I have two wishes for the mill:\n\n- a roof", "I have two wishes for the mill: a roof"),
            ("**The wishes that I have:**\n\na roof", "The wishes that I have: a roof"),
            ("https://example.org/mill/roof/1\n\nWhy?", "https://example.org/mill/roof/1 Why?"),
            ("[Image #1] [Image #2] [Image #3]\n\nWhy?", "[Image #1] [Image #2] [Image #3] Why?"),
            ("Why?\n```\n# not a heading at all\n\nx\n```", "Why? not a heading at all x"),
            ("The roof leaks when it rains.\nThe door creaks.", "The roof leaks when it rains. The door creaks."),
            ("The roof leaks when it rains.\n\n", "The roof leaks when it rains."),
            ("\n\n#\n", ""),
        ];
        for (text, line) in cases {
            assert_eq!(title(text), line, "{text}");
        }
    }

    #[test]
    fn a_command_with_a_task_says_as_much_as_a_sentence() {
        use TitleWorth::{Command, Sentence, Word};
        let cases = [
            ("/orchestrator create TODO app by Next.js", Sentence),
            ("/orchestrator\n屋根を直してください", Sentence),
            ("/clear", Command),
            ("/compact", Command),
            ("/compact keep what we know of the roof", Command),
            ("/model opus", Command),
            ("/review 167", Command),
            ("/review https://example.org/mill/pull/2", Command),
            ("/home/ada/mill is a mess", Sentence),
            ("/", Word),
            ("yes", Word),
            ("Mend it", Sentence),
        ];
        for (prompt, worth) in cases {
            assert_eq!(TitleWorth::of(prompt), worth, "{prompt}");
        }
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
