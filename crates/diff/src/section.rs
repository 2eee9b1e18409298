//! Where in the file a hunk is: the nearest header of a function, class or chapter above it, as in git's hunk headers.

use crate::lines::Side;

/// Longer headers are cut, in chars.
const MAX_CHARS: usize = 80;
/// Headers that are looked at for one hunk before giving up.
const MAX_STEPS: usize = 200;
/// Longer lines are no headers, in bytes.
const MAX_LINE: usize = 300;

/// Words that can precede the keyword of a header.
const MODIFIERS: &[&str] = &[
    "abstract",
    "actual",
    "async",
    "const",
    "crate",
    "data",
    "declare",
    "default",
    "expect",
    "export",
    "extern",
    "final",
    "fileprivate",
    "inline",
    "internal",
    "local",
    "native",
    "open",
    "override",
    "partial",
    "private",
    "protected",
    "pub",
    "public",
    "sealed",
    "static",
    "suspend",
    "synchronized",
    "unsafe",
    "virtual",
];
const HEADERS: &[&str] = &[
    "actor",
    "class",
    "def",
    "defmodule",
    "defp",
    "describe",
    "enum",
    "extension",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "interface",
    "macro_rules!",
    "mod",
    "module",
    "namespace",
    "object",
    "protocol",
    "record",
    "struct",
    "trait",
    "union",
];

/// The headers of one text, found in one pass.
#[derive(Debug)]
pub(crate) struct Sections {
    /// Line index and indentation in columns.
    headers: Vec<(usize, usize)>,
}

impl Sections {
    pub(crate) fn of(side: &Side, language: Option<&str>) -> Self {
        let is_header = if language == Some("markdown") { is_chapter } else { is_header };
        let header = |at: usize| {
            let line = side.line(at);
            (line.len() <= MAX_LINE && is_header(line)).then(|| (at, indentation(line)))
        };
        Self { headers: (0..side.len()).filter_map(header).collect() }
    }

    /// Header of what the line with the index `at` belongs to: the nearest one above that is indented less, or not at all.
    pub(crate) fn above(&self, side: &Side, at: usize) -> Option<String> {
        let own = (at..side.len()).take(MAX_STEPS).map(|at| side.line(at)).find(|line| !line.trim().is_empty())?;
        let own = indentation(own);
        let before = &self.headers[..self.headers.partition_point(|header| header.0 < at)];
        let near = before.iter().rev().take(MAX_STEPS);
        let header = near.into_iter().find(|header| header.1 < own || header.1 == 0)?;
        Some(shorten(side.line(header.0)))
    }
}

fn indentation(line: &str) -> usize {
    line.bytes().take_while(u8::is_ascii_whitespace).map(|byte| if byte == b'\t' { 8 } else { 1 }).sum()
}

fn is_chapter(line: &str) -> bool {
    line.starts_with('#') && line.trim_start_matches('#').starts_with(' ')
}

fn is_header(line: &str) -> bool {
    let code = line.trim();
    let Some(first) = code.chars().next() else { return false };
    // Tables of TOML and INI.
    if line.starts_with('[') {
        return code.ends_with(']') && !code.contains(',');
    }
    let mut words = code.split([' ', '(', ')', '<', ':', '{', '\t']).filter(|word| !word.is_empty());
    let word = words.find(|word| !MODIFIERS.contains(word) && !word.starts_with('"'));
    if word.is_some_and(|word| HEADERS.contains(&word)) {
        return !code.ends_with(';');
    }
    // Functions of C, shell and the like begin in the first column.
    let is_name = first.is_alphabetic() || first == '_' || first == '$';
    line.starts_with(first) && is_name && code.contains('(') && code.ends_with(['{', ')', ','])
}

fn shorten(line: &str) -> String {
    let code = line.trim().trim_end_matches('{').trim_end();
    match code.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &code[..end]),
        None => code.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn above(text: &str, at: usize) -> Option<String> {
        let side = Side::of(text, None);
        Sections::of(&side, None).above(&side, at)
    }

    #[test]
    fn the_nearest_that_encloses() {
        let text = "impl A {\n    pub(crate) async fn b(&self) {\n        one();\n    }\n\n    const C: u8 = 1;\n}\n";
        assert_eq!(above(text, 2).as_deref(), Some("pub(crate) async fn b(&self)"));
        assert_eq!(above(text, 5).as_deref(), Some("impl A"));
        assert_eq!(above(text, 0), None);
    }

    #[test]
    fn headers_of_many_languages() {
        let headers = [
            "export default function f() {",
            "    def method(self):",
            "static int main(int argc) {",
            "[dependencies]",
            "deploy() {",
            "  public static class A {",
            "extern \"C\" fn call() {",
        ];
        let others = [
            "let a = f(1);",
            "return g(x);",
            "#include <a.h>",
            "use a::fn_b;",
            "    call(a, b);",
            "[1, 2, 3]",
            "",
            "fn a();",
        ];
        for line in headers {
            assert!(is_header(line), "{line}");
        }
        for line in others {
            assert!(!is_header(line), "{line}");
        }
        assert!(is_chapter("## Chapter"));
        assert!(!is_chapter("#hashtag"));
    }

    #[test]
    fn long_headers_are_cut_between_chars() {
        let header = format!("fn {}() {{\n    a\n", "ä".repeat(100));
        assert_eq!(above(&header, 1), Some(format!("fn {}…", "ä".repeat(77))));
    }
}
