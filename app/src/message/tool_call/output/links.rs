//! What a search of the web found: links with where they lead.

use crate::html::Html;
use crate::markdown::{is_safe, open_link};
use crate::visible;
use model::text::one_line;
use serde_json::Value;

/// Links drawn at most; the rest is counted.
const MAX: usize = 40;

/// Splits `Links: [{"title": .., "url": ..}]` from the text around it: what stands before, the links, what stands after.
pub(super) fn split(output: &str) -> Option<(&str, Vec<Value>, &str)> {
    let at = output.find("Links: [")?;
    let list = &output[at + "Links: ".len()..];
    let mut read = serde_json::Deserializer::from_str(list).into_iter::<Vec<Value>>();
    let links = read.next()?.ok().filter(|links| are_links(links))?;
    Some((&output[..at], links, &list[read.byte_offset()..]))
}

/// Is it a list of titles with addresses?
pub(super) fn are_links(items: &[Value]) -> bool {
    !items.is_empty() && items.iter().all(|item| item.get("url").is_some_and(Value::is_string))
}

pub(super) fn draw(links: &[Value]) -> Html {
    let text = |item: &Value, key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut html = Html::new();
    html.tag("<ol class=\"links\">");
    for link in links.iter().take(MAX) {
        let (url, title) = (text(link, "url"), one_line(&text(link, "title"), 200));
        let title = if title.is_empty() { url.clone() } else { title };
        html.tag("<li>");
        if is_safe(&url) {
            open_link(&mut html, &url);
            visible::push(&mut html, &title);
            html.tag("</a>");
        } else {
            html.tag("<span class=\"ref\"").attr("title", &url).tag(">");
            visible::push(&mut html, &title);
            html.tag("</span>");
        }
        let host = url.split_once("//").map_or(url.as_str(), |(_, rest)| rest);
        let host = host.split(['/', '?', '#']).next().unwrap_or_default();
        html.tag("<span class=\"cap\">");
        visible::push(&mut html, host);
        html.tag("</span>");
        let said = ["snippet", "description", "page_age"].iter().map(|key| text(link, key)).find(|s| !s.is_empty());
        if let Some(said) = said {
            html.tag("<small>");
            visible::push(&mut html, &one_line(&said, 300));
            html.tag("</small>");
        }
        html.tag("</li>");
    }
    html.tag("</ol>");
    if links.len() > MAX {
        html.tag("<p class=\"note-line\">").text(&format!("{} more links", links.len() - MAX)).tag("</p>");
    }
    html
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn links_are_told_from_the_words_around_them() {
        let output = "Results:\n\nLinks: [{\"title\":\"A\",\"url\":\"https://a.example/x\"}]\n\nSaid of it.";
        let (before, links, after) = split(output).expect("links");
        assert_eq!((before, links.len(), after.trim()), ("Results:\n\n", 1, "Said of it."));
        assert!(split("Links: [not json").is_none());
        assert!(split("Links: [1, 2]").is_none());
    }
}
