//! Links: which addresses may be followed, and bare ones in running text.

use super::script::{ends_address, is_unspaced_letter};
use crate::html::Html;
use crate::visible;

/// `http`, `https` and `mailto`; anything else is shown as text.
pub(crate) fn is_safe(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once(':') else { return false };
    let allowed = ["http", "https", "mailto"].iter().any(|name| scheme.eq_ignore_ascii_case(name));
    allowed && !rest.is_empty() && !address.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// Opens a link that tells the other side nothing about us. `address` must be safe.
pub(crate) fn open(html: &mut Html, address: &str) {
    html.tag("<a").attr("href", address).tag(" rel=\"noopener noreferrer\" target=\"_blank\">");
}

/// Running text with its bare addresses made into links.
pub(super) fn text(html: &mut Html, text: &str) {
    let mut rest = text;
    while let Some((before, address, after)) = next(rest) {
        visible::prose(html, before);
        open(html, address);
        visible::push(html, address);
        html.tag("</a>");
        rest = after;
    }
    visible::prose(html, rest);
}

fn next(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find("http").map(|at| at + from) {
        let candidate = &text[at..];
        let starts_a_word = !text[..at].ends_with(|c: char| c.is_alphanumeric() && !is_unspaced_letter(c));
        let host = candidate.strip_prefix("http://").or_else(|| candidate.strip_prefix("https://"));
        // The host before the end: what isn't followed by one would be searched to its end for each that follows in it.
        if starts_a_word && host.is_some_and(|host| host.starts_with(char::is_alphanumeric)) {
            let address = trimmed(&candidate[..end(candidate)]);
            return Some((&text[..at], address, &candidate[address.len()..]));
        }
        from = at + "http".len();
    }
    None
}

/// Where the address that a text begins with ends. Letters of a script without spaces go on as a sentence when they stand
/// right behind a word of another one, and belong to the address where a part of it begins.
fn end(text: &str) -> usize {
    let mut before = None;
    for (at, c) in text.char_indices() {
        let goes_on = is_unspaced_letter(c) && before.is_some_and(|c: char| c.is_ascii_alphanumeric());
        if goes_on || ends_address(c) || c.is_whitespace() || c.is_control() || "<>\"`|".contains(c) {
            return at;
        }
        before = Some(c);
    }
    text.len()
}

/// Without what belongs to the sentence: full stops, and brackets that weren't opened in the address.
fn trimmed(address: &str) -> &str {
    let mut address = address;
    // A long tail of brackets would be counted again and again: look at the last ones only.
    for _ in 0..64 {
        let Some(last) = address.chars().next_back() else { break };
        let ends_sentence = match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | '~' => true,
            ')' => address.matches(')').count() > address.matches('(').count(),
            ']' => address.matches(']').count() > address.matches('[').count(),
            '}' => address.matches('}').count() > address.matches('{').count(),
            _ => false,
        };
        if !ends_sentence {
            break;
        }
        address = &address[..address.len() - last.len_utf8()];
    }
    address
}
