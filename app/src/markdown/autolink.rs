//! Links: which addresses may be followed, and bare ones in running text.

use super::script::{ends_address, is_unspaced_letter};
use crate::html::Html;
use crate::visible;
use linkify::{LinkFinder, LinkKind};
use std::ops::Range;

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
    if !text.contains("://") {
        return visible::prose(html, text);
    }
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    let mut written = 0;
    for piece in pieces(text) {
        for link in finder.links(&text[piece.clone()]) {
            let address = link.as_str().trim_end_matches(['_', '~']);
            if !is_safe(address) {
                continue;
            }
            let start = piece.start + link.start();
            visible::prose(html, &text[written..start]);
            open(html, address);
            visible::push(html, address);
            html.tag("</a>");
            written = start + address.len();
        }
    }
    visible::prose(html, &text[written..]);
}

/// Splits a text where no address goes on, as byte ranges: `linkify` knows only the signs of ASCII. Letters of a script
/// without spaces go on as a sentence when they stand right behind a word of another one, and belong to the address
/// where a part of it begins.
fn pieces(text: &str) -> impl Iterator<Item = Range<usize>> {
    let (mut start, mut before) = (0, ' ');
    let ends = text.char_indices().filter(move |(_, c)| {
        let goes_on = std::mem::replace(&mut before, *c).is_ascii_alphanumeric() && is_unspaced_letter(*c);
        goes_on || ends_address(*c) || c.is_whitespace()
    });
    ends.map(|(at, _)| at).chain([text.len()]).map(move |end| std::mem::replace(&mut start, end)..end)
}
