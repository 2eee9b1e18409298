//! Decides whether a text is a secret's value, or words or code in its place.

/// Words that stand in place of a value.
const WORDS: [&str; 18] = [
    "true",
    "false",
    "null",
    "none",
    "undefined",
    "nil",
    "string",
    "str",
    "bytes",
    "int",
    "bool",
    "boolean",
    "object",
    "any",
    "number",
    "self",
    "this",
    "fake",
];

/// Shannon's entropy, in bits a character.
pub(crate) fn entropy(text: &str) -> f64 {
    let mut counts = std::collections::BTreeMap::new();
    for c in text.chars() {
        *counts.entry(c).or_insert(0_u32) += 1;
    }
    let all = f64::from(counts.values().sum::<u32>().max(1));
    let share = |count: &u32| f64::from(*count) / all;
    counts.values().map(|count| -share(count) * share(count).log2()).sum()
}

/// Returns true if a text has upper case, lower case and digits, and isn't a path or a list of words.
pub(crate) fn is_random(text: &str) -> bool {
    let has = |test: fn(&char) -> bool| text.chars().any(|c| test(&c));
    let few = |mark: char, most: usize| text.matches(mark).count() < most;
    has(char::is_ascii_lowercase)
        && has(char::is_ascii_uppercase)
        && has(char::is_ascii_digit)
        && few('/', 4)
        && few('-', 5)
        && few('_', 5)
}

/// Can it be the value of a name such as `password`? In quotation marks, words alone are none; without them, names and code are
/// none either.
pub(crate) fn is_value(text: &str, is_quoted: bool) -> bool {
    let lower = text.to_ascii_lowercase();
    let first_word = lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    if lower.contains("fake") || WORDS.contains(&first_word) || is_reference(text) {
        return false;
    }
    if is_quoted { is_quoted_value(text) } else { is_bare_value(text) }
}

/// Returns true for a reference to a value: `$HOME`, `${TOKEN}`, `%s`, `<key>`.
fn is_reference(text: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_$%<>{}().-:".contains(c);
    let braced = text.strip_prefix("${").is_some_and(|rest| rest.contains('}'));
    braced || (text.starts_with(['$', '%', '<']) && text.chars().all(is_name))
}

fn is_quoted_value(text: &str) -> bool {
    let is_constant = text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let is_words = text
        .split(|c| "-_ ./:".contains(c))
        .all(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase()));
    let is_name = text.chars().all(|c| c.is_ascii_alphabetic()) && !alternates(text);
    !(is_constant || is_words || is_name || text.starts_with(['/', '.'])) && entropy(text) >= 2.0
}

/// Returns true if there are small letters between capital ones: `aBcDe`.
fn alternates(text: &str) -> bool {
    let Some(first) = text.find(|c: char| c.is_ascii_uppercase()) else { return false };
    let rest = text.get(first..).unwrap_or_default();
    let Some(small) = rest.find(|c: char| c.is_ascii_lowercase()) else { return false };
    rest.get(small..).unwrap_or_default().contains(|c: char| c.is_ascii_uppercase())
}

fn is_bare_value(text: &str) -> bool {
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    let has_letter = text.contains(|c: char| c.is_ascii_alphabetic());
    let is_call = text.split_once('(').is_some_and(|(_, rest)| rest.contains(')'));
    if is_call && !has_digit && !text.contains('{') {
        return false;
    }
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts_as_name = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let rest = text.trim_start_matches(is_word);
    let is_code = starts_as_name && (rest.is_empty() || rest.starts_with(['.', '[', '(', ')', ']', ':', '/']));
    (!is_code || (has_digit && has_letter && is_plain)) && entropy(text) >= 2.5
}
