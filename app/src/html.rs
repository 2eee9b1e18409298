//! HTML as text that can only hold our own markup: literals of this program, and data that is escaped on the way in.

use crate::icon::{self, Glyph, IconStyle};
use leptos::tachys::html::InertElement;

/// HTML under construction. Markup enters as `&'static str`, everything else through escaping.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    pub fn new() -> Self {
        Self::default()
    }

    /// Markup written in this program.
    pub fn tag(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Data as text.
    pub fn text(&mut self, data: &str) -> &mut Self {
        escape_into(&mut self.0, data);
        self
    }

    /// ` name="data"`.
    pub fn attr(&mut self, name: &'static str, data: &str) -> &mut Self {
        self.0.push(' ');
        self.0.push_str(name);
        self.0.push_str("=\"");
        escape_into(&mut self.0, data);
        self.0.push('"');
        self
    }

    /// A number as text, without the detour through escaping.
    pub fn number(&mut self, number: impl Into<i64>) -> &mut Self {
        self.0.push_str(&number.into().to_string());
        self
    }

    /// HTML that was built the same way, or rendered by Leptos.
    pub fn html(&mut self, html: &Self) -> &mut Self {
        self.0.push_str(&html.0);
        self
    }

    pub fn icon(&mut self, glyph: Glyph, look: IconStyle) -> &mut Self {
        self.0.push_str(&icon::markup(glyph, look));
        self
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the HTML written after a position.
    pub fn from(mut self, at: usize) -> Self {
        Self(self.0.split_off(at))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }

    /// For the beginning of a `<pre>`: the line break there would be no text.
    #[must_use]
    pub fn in_pre(self) -> Self {
        if self.0.starts_with('\n') { Self(format!("\n{}", self.0)) } else { self }
    }

    /// As a part of a view: spliced in as it is.
    pub fn into_view(self) -> InertElement {
        InertElement::new(self.0)
    }

    /// Wraps the result of [`crate::render::render`].
    pub(crate) fn rendered(html: String) -> Self {
        Self(html)
    }
}

fn escape_into(out: &mut String, data: &str) {
    let mut rest = data;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'', '\0']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        out.push_str(match from.as_bytes()[0] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => "\u{fffd}",
        });
        rest = &from[1..];
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::Html;

    #[test]
    fn data_never_becomes_markup() {
        let mut html = Html::new();
        html.tag("<a").attr("title", "\" onclick='x'").tag(">").text("<b>&\0</b>").tag("</a>");
        assert_eq!(html.as_str(), "<a title=\"&quot; onclick=&#39;x&#39;\">&lt;b&gt;&amp;\u{fffd}&lt;/b&gt;</a>");
    }
}
