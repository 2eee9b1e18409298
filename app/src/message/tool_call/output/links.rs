//! Results of a web search: links with their URLs.

use crate::html::Html;
use crate::markdown::{is_safe, open_link};
use crate::visible;
use model::message_type::tool_call::{ToolCall, ToolKind};
use model::text::one_line;
use serde_json::Value;

/// Links drawn at most; the rest is counted.
const MAX: usize = 40;

/// Characters drawn of each text beside a link's title.
const MAX_SAID: usize = 300;

/// Fields of a link that are drawn beside its title.
const SAID: [&str; 3] = ["snippet", "description", "page_age"];

/// Splits `Links: [{"title": .., "url": ..}]` from the text around it: what stands before, the links, what stands
/// after.
pub(super) fn split<'o>(call: &ToolCall, output: &'o str) -> Option<(&'o str, Vec<Value>, &'o str)> {
    let at = output.find("Links: [")?;
    let list = &output[at + "Links: ".len()..];
    let mut read = serde_json::Deserializer::from_str(list).into_iter::<Vec<Value>>();
    let links = read.next()?.ok().filter(|links| are_links(call, links))?;
    Some((&output[..at], links, &list[read.byte_offset()..]))
}

/// Is it a list of titles with addresses? Records of anything else have an address as well: only of a search of the web
/// may be left out what no link shows.
pub(super) fn are_links(call: &ToolCall, items: &[Value]) -> bool {
    let searched = call.kind() == ToolKind::Fetch && call.input.contains_key("query");
    let is_link =
        |item: &Value| item.get("url").is_some_and(Value::is_string) && (searched || is_told_by_its_link(item));
    !items.is_empty() && items.iter().all(is_link)
}

/// Returns true if the link shows all of the item, without shortening it.
fn is_told_by_its_link(item: &Value) -> bool {
    /// They say how it was found, not what.
    const OF_THE_SEARCH: [&str; 4] = ["type", "score", "rank", "position"];
    let is_short = |value: &Value| match value {
        Value::String(text) => text.chars().nth(MAX_SAID).is_none(),
        other => other.is_null(),
    };
    item.as_object().is_some_and(|fields| {
        fields.iter().all(|(key, value)| match key.as_str() {
            "url" => true,
            "title" => is_short(value),
            key if SAID.contains(&key) => is_short(value),
            key => OF_THE_SEARCH.contains(&key) && !value.is_object() && !value.is_array(),
        })
    })
}

pub(super) fn draw(links: &[Value]) -> Html {
    let text = |item: &Value, key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut html = Html::new();
    html.tag("<ol class=\"links\">");
    for link in links.iter().take(MAX) {
        let (url, title) = (text(link, "url"), one_line(&text(link, "title"), MAX_SAID));
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
        let said = SAID.iter().map(|key| one_line(&text(link, key), MAX_SAID)).filter(|said| !said.is_empty());
        let said = said.collect::<Vec<_>>().join(" \u{b7} ");
        if !said.is_empty() {
            html.tag("<small>");
            visible::push(&mut html, &said);
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
    use super::{are_links, split};
    use model::message_type::tool_call::ToolCall;
    use serde_json::{Map, Value, json};

    fn call(tool: &str, input: &Value) -> ToolCall {
        ToolCall::new(tool, input.as_object().cloned().unwrap_or_default())
    }

    #[test]
    fn links_are_told_from_the_words_around_them() {
        let output = "Results:\n\nLinks: [{\"title\":\"A\",\"url\":\"https://a.example/x\"}]\n\nSaid of it.";
        let any = ToolCall::new("any", Map::new());
        let (before, links, after) = split(&any, output).expect("links");
        assert_eq!((before, links.len(), after.trim()), ("Results:\n\n", 1, "Said of it."));
        assert!(split(&any, "Links: [not json").is_none());
        assert!(split(&any, "Links: [1, 2]").is_none());
    }

    #[test]
    fn records_with_an_address_are_no_links() {
        let shell = call("Bash", &json!({"command": "gh api repos/a/b/pulls/1/comments"}));
        let search = call("WebSearch", &json!({"query": "oats"}));
        let are = |call: &ToolCall, item: Value| are_links(call, &[item]);
        let found =
            json!({"title": "A", "url": "https://a.example", "snippet": "Of A", "page_age": null, "score": 0.5});
        assert!(are(&shell, found));
        let comment = json!({"url": "https://a.example/1", "id": 1, "diff_hunk": "@@", "body": "Why?"});
        assert!(!are(&shell, comment.clone()));
        assert!(are(&search, comment));
        // A link says a line of it.
        assert!(!are(&shell, json!({"url": "https://a.example", "description": "word ".repeat(100)})));
        assert!(!are(&search, json!({"title": "A"})));
    }
}
