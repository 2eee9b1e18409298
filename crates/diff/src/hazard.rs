//! Texts that must not reach a grammar.
//!
//! Grammars are C, and some keep their state in 1,024 bytes without asking whether it fits: what doesn't fit ends the
//! process or writes past the end. What agents read and write is untrusted, so the few shapes that can get there are
//! found first, and such a text stays plain. The bounds are far from both sides: no code of people comes near them, and
//! the states they allow are well under what fits.
//!
//! The known ones (all of arborium 2.18): Markdown keeps 4 bytes per open block quote or list item and doesn't check;
//! YAML 4 and Python 2 per indentation, checked too late; Ruby keeps the length of a heredoc's name in one byte. The
//! Kotlin grammar ends the process by design and is left out. Since Markdown and PHP embed other languages, all texts
//! are checked for all of them.
//!
//! Deep nesting isn't dangerous but slow: the time grows with the square of the depth, to half a minute for 100,000 open
//! brackets.

/// Columns of indentation and of list or quote markers in front of a line.
const MAX_DEPTH: usize = 100;
/// Further markers behind that on one line.
const MAX_MARKERS: usize = 50;
/// Brackets that are open at once.
const MAX_BRACKETS: usize = 1_000;
/// Tags that are open at once; more, since some are never closed.
const MAX_TAGS: usize = 3_000;
/// Chars in the name of a heredoc.
const MAX_NAME: usize = 200;

pub(crate) fn is_harmless(language: &str, text: &str) -> bool {
    let embeds_yaml = matches!(language, "markdown" | "php" | "yaml");
    let has_tags = matches!(language, "html" | "javascript" | "markdown" | "php" | "svelte" | "tsx" | "vue" | "xml");
    let is_nested = brackets(text) > MAX_BRACKETS || (has_tags && tags(text) > MAX_TAGS);
    !is_nested && is_shallow(text, embeds_yaml) && has_short_names(text)
}

/// Most brackets open at once, also those in strings and comments: only the order of magnitude counts.
fn brackets(text: &str) -> usize {
    deepest(text.bytes().map(|byte| match byte {
        b'(' | b'[' | b'{' => Some(Step::In),
        b')' | b']' | b'}' => Some(Step::Out),
        _ => None,
    }))
}

fn tags(text: &str) -> usize {
    deepest(text.as_bytes().windows(2).map(|pair| match pair {
        [b'<', b'/'] | [b'/', b'>'] => Some(Step::Out),
        [b'<', name] if name.is_ascii_alphabetic() || *name == b'>' => Some(Step::In),
        _ => None,
    }))
}

enum Step {
    In,
    Out,
}

fn deepest(steps: impl Iterator<Item = Option<Step>>) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for step in steps.flatten() {
        depth = match step {
            Step::In => depth + 1,
            Step::Out => depth.saturating_sub(1),
        };
        deepest = deepest.max(depth);
    }
    deepest
}

fn is_shallow(text: &str, embeds_yaml: bool) -> bool {
    // Python adds up the indentation of lines that a backslash joins.
    let mut joined = 0;
    for line in text.split(['\n', '\r', '\x0c']) {
        let (columns, rest) = depth(line.as_bytes());
        joined = if rest.starts_with(b"\\") { joined + columns } else { 0 };
        let markers =
            if embeds_yaml { rest.windows(2).filter(|pair| is_marker(pair[0], pair.get(1))).count() } else { 0 };
        if columns.max(joined) > MAX_DEPTH || markers > MAX_MARKERS {
            return false;
        }
    }
    true
}

/// Columns that indentation and markers take up, and what follows them.
fn depth(line: &[u8]) -> (usize, &[u8]) {
    let (mut columns, mut at) = (0, 0);
    while let Some(&byte) = line.get(at) {
        let digits = line[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (width, length) = match byte {
            b'\t' => (8, 1),
            b' ' | b'>' => (1, 1),
            _ if is_marker(byte, line.get(at + 1)) => (1, 1),
            _ if digits > 0 && matches!(line.get(at + digits), Some(b'.' | b')')) => (digits + 1, digits + 1),
            _ => break,
        };
        columns += width;
        at += length;
    }
    (columns, &line[at..])
}

fn is_marker(byte: u8, next: Option<&u8>) -> bool {
    matches!(byte, b'-' | b'*' | b'+' | b'?' | b':') && next.is_none_or(u8::is_ascii_whitespace)
}

fn has_short_names(text: &str) -> bool {
    text.match_indices("<<").all(|(at, _)| {
        let rest = text[at + 2..].trim_start_matches(['<', '~', '-']);
        let name = rest.chars().take(MAX_NAME + 1);
        let length = match rest.chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => name.skip(1).take_while(|&char| char != quote).count(),
            _ => name.take_while(|&char| char.is_alphanumeric() || char == '_').count(),
        };
        length < MAX_NAME
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_code_is_harmless() {
        let texts = [
            "fn main() {\n    let a = 1 << 2;\n}\n",
            "- a: 1\n  b:\n    - c\n",
            "> quote\n> - list\n>   1. item\n",
            "cat <<EOF\nhello\nEOF\n",
            "--------------------------------------------------------------------------------------------------------------\n",
        ];
        for text in texts {
            assert!(is_harmless("markdown", text), "{text}");
        }
    }

    #[test]
    fn what_overflows_a_grammar_is_found() {
        let texts = [
            format!("{}a", "> ".repeat(300)),
            format!("{}a", "- ".repeat(300)),
            format!("\"x\" {}a", "- ".repeat(300)),
            format!("{}a", "1. ".repeat(300)),
            "\t".repeat(20),
            " \\\n".repeat(400),
            format!("<<~{}\n", "A".repeat(300)),
            format!("<<'{}'\n", "a ".repeat(300)),
            "({[".repeat(400),
            "<a>\n".repeat(4_000),
        ];
        for text in texts {
            assert!(!is_harmless("markdown", &text), "{text}");
        }
    }
}
