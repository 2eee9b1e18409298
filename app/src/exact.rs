//! Text that a person decides on, as HTML: each of its characters is seen. What is marked, [`model::exact`] says.

use crate::html::Html;
use crate::visible::code_span;
pub use model::exact::{Kind, is_plain};
use model::exact::{Piece, pieces};

/// Marks drawn as elements in one text; those after it are drawn as text.
const MAX_MARKS: usize = 400;

/// Returns one text as HTML.
pub fn html(text: &str, kind: Kind) -> Html {
    let mut html = Html::new();
    push(&mut html, text, kind);
    html
}

/// Returns a title or a label, in which what stands between backticks is code.
pub fn phrase(text: &str) -> Html {
    let mut html = Html::new();
    let mut rest = text;
    while let Some((before, code, after)) = code_span(rest) {
        push(&mut html, before.strip_suffix(' ').unwrap_or(before), Kind::Words);
        html.tag(if before.ends_with(' ') { " <code>" } else { "<code>" });
        push(&mut html, code, Kind::Code);
        html.tag("</code>");
        // The space between two words is no trailing one, whatever stands on its other side.
        let lead = after.strip_prefix(' ').filter(|next| !next.is_empty());
        if lead.is_some() {
            html.text(" ");
        }
        rest = lead.unwrap_or(after);
    }
    push(&mut html, rest, Kind::Words);
    html
}

/// Writes a text.
pub fn push(html: &mut Html, text: &str, kind: Kind) {
    let mut marks = 0;
    for piece in pieces(text, kind) {
        match piece {
            Piece::Plain(text) => {
                html.text(&text);
            }
            Piece::Mark { words, why } if marks < MAX_MARKS => {
                html.tag("<span class=\"ctl\"").attr("title", why).tag(">").text(&words).tag("</span>");
                marks += 1;
            }
            Piece::Mark { words, .. } => {
                html.text("<").text(&words).text(">");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, MAX_MARKS, html, phrase};

    #[test]
    fn marks_are_elements_with_their_reason() {
        let mark = "<span class=\"ctl\" title=\"A gap this wide\">20 spaces</span>";
        assert_eq!(
            html(&format!("ls{}&& rm", " ".repeat(20)), Kind::Code).into_string(),
            format!("ls{mark}&amp;&amp; rm")
        );
        let flood = html(&"\u{200b}\u{200c}".repeat(1_000), Kind::Code);
        assert_eq!(flood.as_str().matches("<span").count(), MAX_MARKS);
        assert_eq!(flood.as_str().matches("U+200").count(), 2_000);
    }

    #[test]
    fn code_in_a_phrase_stands_in_an_element() {
        assert_eq!(phrase("Run `a<b` now ").into_string().matches("1 space").count(), 1);
        assert_eq!(phrase("Run `a` and `b`").into_string(), "Run <code>a</code> and <code>b</code>");
    }
}
