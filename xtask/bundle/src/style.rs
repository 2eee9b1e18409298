//! One stylesheet from many: the files that `style/main.css` imports, in its order.
use std::{fs, path::Path};

use anyhow::{Context, Result};

/// `main` with every `@import "file.css";` replaced by that file, without comments and indentation.
pub fn joined(main: &Path) -> Result<String> {
    Ok(squeezed(&inlined(main)?))
}

fn inlined(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))?;
    let mut css = String::with_capacity(text.len());
    for line in text.lines() {
        match imported(line) {
            Some(file) => css += &inlined(&path.with_file_name(file))?,
            None => css += line,
        }
        css.push('\n');
    }
    Ok(css)
}

/// The file named by a line of the one form that `style/main.css` uses: `@import "base.css";`.
fn imported(line: &str) -> Option<&str> {
    let quoted = line.trim().strip_prefix("@import")?.trim_start().strip_prefix('"')?;
    quoted.strip_suffix("\";").map(|file| file.trim_start_matches("./"))
}

fn squeezed(css: &str) -> String {
    let mut squeezed = String::with_capacity(css.len());
    for line in without_comments(css).lines().map(str::trim).filter(|line| !line.is_empty()) {
        squeezed += line;
        squeezed.push('\n');
    }
    squeezed
}

fn without_comments(css: &str) -> String {
    let mut kept = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let (before, from) = rest.split_at(at);
        kept += before;
        let length = if let Some(comment) = from.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
            continue;
        } else if from.starts_with('/') {
            1
        } else {
            string_length(from)
        };
        kept += &from[..length];
        rest = &from[length..];
    }
    kept + rest
}

/// The bytes of the string that `from` begins with, both quotes counted.
fn string_length(from: &str) -> usize {
    let bytes = from.as_bytes();
    let mut at = 1;
    while at < bytes.len() && bytes[at] != bytes[0] {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    // A string that never ends takes the rest; a backslash may have led past it or into a character.
    (at + 1..from.len()).find(|end| from.is_char_boundary(*end)).unwrap_or(from.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_strings_stay() {
        let css = r#"/* head */
            a::before {
                content: "/* kept */ \" "; /* gone
                over lines */
                width: calc(1px / 2)
            }
            "#;
        assert_eq!(
            squeezed(css).lines().collect::<Vec<_>>(),
            ["a::before {", r#"content: "/* kept */ \" ";"#, "width: calc(1px / 2)", "}"]
        );
    }

    #[test]
    fn imports_are_known_by_their_one_form() {
        assert_eq!(imported("@import \"./base.css\";"), Some("base.css"));
        assert_eq!(imported("@import \"message/todo.css\";"), Some("message/todo.css"));
        assert_eq!(imported("@layer base, components;"), None);
    }

    #[test]
    fn a_string_that_never_ends_is_taken_whole() {
        assert_eq!(squeezed("a { content: \"é\\"), "a { content: \"é\\\n");
    }
}
