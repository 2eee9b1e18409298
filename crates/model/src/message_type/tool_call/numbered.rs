//! The output of a tool that reads files.

/// Lines with numbers that the tool added, as `   12→text` or `12<tab>text`, and the text after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbered<'t> {
    /// Number of the first line.
    pub first: usize,
    /// The lines without their numbers, joined by `\n`.
    pub code: String,
    /// Notes to the model, such as reminders.
    pub rest: &'t str,
}

impl<'t> Numbered<'t> {
    /// Parses numbered lines as long as the numbers are consecutive. None if the first line has no number.
    pub fn read(text: &'t str) -> Option<Self> {
        let mut lines = Vec::new();
        let mut first = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let Some((number, code)) = numbered(line.trim_end_matches(['\n', '\r'])) else { break };
            let start = *first.get_or_insert(number);
            if number != start + lines.len() {
                break;
            }
            lines.push(code);
            at += line.len();
        }
        Some(Self { first: first?, code: lines.join("\n"), rest: text[at..].trim() })
    }
}

fn numbered(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches(' ');
    let end = line.find(|c: char| !c.is_ascii_digit())?;
    let code = line[end..].strip_prefix('→').or_else(|| line[end..].strip_prefix('\t'))?;
    Some((line[..end].parse().ok()?, code))
}

#[cfg(test)]
mod tests {
    use super::Numbered;

    #[test]
    fn numbers_are_read_while_they_follow_each_other() {
        let read =
            Numbered::read("    9→a\n   10→\n   11→\tb\n\n<system-reminder>x</system-reminder>").expect("numbered");
        assert_eq!(
            (read.first, read.code.as_str(), read.rest),
            (9, "a\n\n\tb", "<system-reminder>x</system-reminder>")
        );
        let tabs = Numbered::read("1\tx\n3\ty\n").expect("numbered");
        assert_eq!((tabs.code.as_str(), tabs.rest), ("x", "3\ty"));
        assert!(Numbered::read("no numbers").is_none());
        assert!(Numbered::read("").is_none());
    }
}
