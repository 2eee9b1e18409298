//! A line of markdown as words: what is cut out of a text for a list has no use for the marks.

/// The line without the marks of headings, quotes, breaks, emphasis and code.
pub fn line(markdown: &str) -> String {
    let words =
        markdown.split(' ').filter(|word| word.is_empty() || !(is_heading(word) || matches!(*word, ">" | "---")));
    words.map(without_bold).collect::<Vec<_>>().join(" ").replace('`', "")
}

/// Removes bold marks, even unpaired ones in cut text. Patterns of file names stay.
fn without_bold(word: &str) -> String {
    if word.contains("**/") || word.contains("/**") { word.to_owned() } else { word.replace("**", "") }
}

/// `##`, but not `#12`, which is a number of something.
fn is_heading(word: &str) -> bool {
    word.len() <= 6 && word.bytes().all(|byte| byte == b'#')
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn marks_go_and_what_looks_like_them_stays() {
        assert_eq!(line("Do this: # Plan: **fix** `mv` --- ## Why > soon"), "Do this: Plan: fix mv Why soon");
        assert_eq!(line(" #12 in C#, a*b > 3 "), " #12 in C#, a*b 3 ");
        assert_eq!(line("**look** at src/**/*.rs, C:\\_new_"), "look at src/**/*.rs, C:\\_new_");
        assert_eq!(line(""), "");
    }
}
