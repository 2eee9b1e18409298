//! The words of a command, where it is one plain command and nothing else.

use arborium::lang_bash;
use arborium::tree_sitter::{Node, Parser};

/// Bytes of a command that is looked into.
const MOST: usize = 4096;
/// Unquoted characters that the shell takes as they are.
const PLAIN: &str = "_./:=@%+,-";

/// Keywords that begin a command, which the grammar takes for a command's name.
const KEYWORDS: [&str; 2] = ["time", "coproc"];

/// Returns the words of a command. None for several commands (`a; b`, `a && b`, `a | b`, lines), redirections,
/// expansions (`$x`, `$(x)`, `*`, `~`, `{a,b}`), assignments, jobs in the background, keywords, escapes, and whatever
/// can't be parsed.
pub fn words(command: &str) -> Option<Vec<String>> {
    if command.len() > MOST || command.chars().any(|c| c.is_control() && c != '\t') {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&lang_bash::language().into()).ok()?;
    let tree = parser.parse(command, None)?;
    let root = tree.root_node();
    let only = root.child(0).filter(|_| root.child_count() == 1 && !root.has_error())?;
    if only.kind() != "command" {
        return None;
    }
    let mut words = Vec::new();
    for index in 0..only.child_count() {
        let part = only.child(u32::try_from(index).ok()?)?;
        let part = if part.kind() == "command_name" { sole(part)? } else { part };
        words.push(word(part, command)?);
    }
    words.first().is_some_and(|name| !KEYWORDS.contains(&name.as_str())).then_some(words)
}

fn sole(node: Node<'_>) -> Option<Node<'_>> {
    node.child(0).filter(|_| node.child_count() == 1)
}

/// The text that a word stands for. None where the shell would make another of it.
fn word(node: Node<'_>, command: &str) -> Option<String> {
    let text = node.utf8_text(command.as_bytes()).ok()?;
    let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || PLAIN.contains(c));
    match node.kind() {
        "word" | "number" => is_plain(text).then(|| text.to_owned()),
        "raw_string" => text.strip_prefix('\'')?.strip_suffix('\'').map(str::to_owned),
        "string" => {
            let inner = text.strip_prefix('"')?.strip_suffix('"')?;
            (!inner.contains(['$', '`', '\\', '!', '"'])).then(|| inner.to_owned())
        }
        "concatenation" => {
            let parts = (0..node.child_count()).map(|index| word(node.child(u32::try_from(index).ok()?)?, command));
            parts.collect()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn one_plain_command_has_words() {
        let of = |command: &str| words(command).map(|words| words.join("|"));
        assert_eq!(of("ls").as_deref(), Some("ls"));
        assert_eq!(of("  npm   run 'a b' --x=\"c; d\"").as_deref(), Some("npm|run|a b|--x=c; d"));
        assert_eq!(of("git commit -m 'rm -rf $HOME'").as_deref(), Some("git|commit|-m|rm -rf $HOME"));
    }

    #[test]
    fn whatever_is_more_than_one_plain_command_has_none() {
        let more = [
            "",
            "   ",
            "ls; rm -rf x",
            "ls;",
            "ls && x",
            "ls || x",
            "ls | sh",
            "ls & x",
            "ls &",
            "ls $(x)",
            "ls `x`",
            "ls $x",
            "ls ${x}",
            "ls \"$x\"",
            "ls \"$(x)\"",
            "ls > f",
            "ls >> f",
            "ls < f",
            "ls 2>&1",
            "ls <(x)",
            "ls <<< x",
            "ls <<E\nx\nE",
            "ls\nrm x",
            "ls\r\nrm x",
            "X=1 ls",
            "X=1",
            "(ls)",
            "{ ls; }",
            "! ls",
            "ls *",
            "ls ~",
            "ls ~root",
            "ls {a,b}",
            "ls ?",
            "ls [a]",
            "ls \\",
            "l\\s",
            "$'\\x6c'",
            "$\"ls\"",
            "if ls; then x; fi",
            "ls # x",
            "time ls",
            "f() { ls; }",
            "[[ a ]]",
            "((1))",
            "ls 'a",
            "ls \"a",
            "ls !x",
            "ls \u{0}",
            "ls\u{a0}x",
            "\u{202e}ls",
            "ls =(x)",
            "case x in x) ls;; esac",
            "coproc ls",
            "ls |& x",
            "ls &> f",
            "export A=1",
            "declare x",
        ];
        let found: Vec<_> = more.iter().filter_map(|command| Some((command, words(command)?))).collect();
        assert_eq!(found, []);
    }
}
