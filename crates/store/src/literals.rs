//! Exact search terms: phrases in quotes, and words with signs that the index doesn't contain, such as `C++`, `$5` or
//! `&&`.

use crate::tokens::searchable;

/// Signs that make a word another one.
const SIGNS: &str = "+#$%&|<>=^~*\\";

/// Characters around a word in a sentence or in markdown.
const AROUND: &[char] = &[
    '(', ')', '[', ']', '{', '}', '"', '\'', ',', ';', ':', '.', '!', '?', '`', '*', '_', '~', '\u{201c}', '\u{201d}',
];

/// The literals of a query, folded as [`flat`] does it. A quote that isn't closed is no sign of a phrase.
pub fn literals(query: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut words = String::new();
    let mut rest = query;
    while let Some((before, (phrase, behind))) = rest.split_once('"').and_then(|(a, b)| Some((a, b.split_once('"')?))) {
        words.push_str(before);
        words.push(' ');
        all.push(flat(phrase));
        rest = behind;
    }
    words.push_str(rest);
    for token in words.split_whitespace() {
        let own = token.trim_matches(AROUND);
        let is_word = token.contains(char::is_alphanumeric);
        if is_word && own.contains(|c| SIGNS.contains(c)) {
            all.push(flat(own));
        } else if !is_word && token.chars().nth(1).is_some() {
            all.push(flat(token));
        }
    }
    all.retain(|literal| !literal.is_empty());
    all
}

/// A text as literals are looked for in it: folded, in lower case, with one space wherever there is any.
pub fn flat(text: &str) -> String {
    let text = searchable(text);
    let mut flat = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !flat.is_empty() {
            flat.push(' ');
        }
        flat.push_str(word);
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::literals;

    #[test]
    fn phrases_and_signs_are_literal_and_words_are_not() {
        for (query, expected) in [
            ("\"Exact  phrase\" here", &["exact phrase"][..]),
            ("C++", &["c++"]),
            ("(C#, node.js)", &["c#"]),
            ("&&", &["&&"]),
            ("a && b", &["&&"]),
            ("$5 61.2% #4211", &["$5", "61.2%", "#4211"]),
            ("*", &[]),
            ("a - b", &[]),
            ("*bold* `code` don't v2.1.0 wrong-book foo::bar --flag scripts/deploy.sh alice@example.com", &[]),
            ("\"unbalanced", &[]),
            ("\"\" ", &[]),
            ("NEAR( OR NOT col:x", &[]),
        ] {
            assert_eq!(literals(query), expected, "{query}");
        }
    }
}
