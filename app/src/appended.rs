//! Is one piece of HTML another one with more text at its end? Then a page that shows the one appends the text, and
//! draws nothing anew.

/// Text at the end of an element.
#[derive(Debug, PartialEq, Eq)]
pub struct Appended {
    /// The length of the text node that it goes on from, as browsers count.
    pub after: usize,
    pub text: String,
}

/// Browsers divide longer texts.
const LONGEST: usize = 32 * 1024;

/// Returns the text that was appended to the last text of `before`, if that is the only difference to `now`. Both must
/// be HTML of our own: `<` begins a tag, and characters are escaped as by `html`.
pub fn appended(before: &str, now: &str) -> Option<Appended> {
    let open = &before[..before.len() - closing(before)];
    let closed = &before[open.len()..];
    let more = now.strip_prefix(open)?.strip_suffix(closed)?;
    let (tags, last) = open.rsplit_once('>')?;
    let tag = tags.rsplit('<').next()?;
    // The first line break in this element is no text.
    let is_text = !last.is_empty() && !more.contains('<') && !tag.starts_with("pre") && !now.contains('\r');
    (is_text && last.len() < LONGEST)
        .then(|| Appended { after: unescaped(last).encode_utf16().count(), text: unescaped(more) })
}

/// The length of the closing tags at the end.
fn closing(html: &str) -> usize {
    let mut rest = html;
    while let Some((before, tag)) = rest.rsplit_once("</")
        && tag.find('>') == Some(tag.len() - 1)
    {
        rest = before;
    }
    html.len() - rest.len()
}

fn unescaped(html: &str) -> String {
    let mut text = html.to_owned();
    for (escaped, plain) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
        if text.contains(escaped) {
            text = text.replace(escaped, plain);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(before: &str, now: &str) -> Option<(usize, String)> {
        appended(before, now).map(|it| (it.after, it.text))
    }

    #[test]
    fn text_at_the_end_is_told_by_itself() {
        let one = |after, text: &str| Some((after, text.to_owned()));
        assert_eq!(said("<p>Ri</p>", "<p>Rise</p>"), one(2, "se"));
        assert_eq!(said("<p>Rise</p>", "<p>Rise</p>"), one(4, ""));
        assert_eq!(said("<ul><li>a</li><li>b</li></ul>", "<ul><li>a</li><li>bc d</li></ul>"), one(1, "c d"));
        assert_eq!(said("<p>a <b>b</b> c</p>", "<p>a <b>b</b> c d</p>"), one(2, " d"));
        assert_eq!(
            said("<p>&lt;\u{1f35e}&amp;</p>", "<p>&lt;\u{1f35e}&amp;lt; &quot;x&quot;</p>"),
            one(4, "lt; \"x\"")
        );
    }

    #[test]
    fn anything_else_is_drawn() {
        for (before, now) in [
            ("<p>a</p>", "<p>b</p>"),
            ("<p>a</p>", "<p>a <b>b</b></p>"),
            ("<p>a <b>b</b></p>", "<p>a <b>b</b> c</p>"),
            ("<p>a</p>", "<p>a</p><p>b</p>"),
            ("<p>a</p>", "<h2>a</h2>"),
            ("<p></p>", "<p>a</p>"),
            ("<p>a<br></p>", "<p>a<br>b</p>"),
            ("<pre id=\"a\">\na</pre>", "<pre id=\"a\">\nab</pre>"),
            ("<p>a</p>", "<p>a\r\nb</p>"),
            ("", "<p>a</p>"),
        ] {
            assert_eq!(said(before, now), None, "{before} {now}");
        }
    }
}
