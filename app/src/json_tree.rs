//! JSON to look at: small values as coloured text, larger ones as a tree that unfolds.

use crate::html::Html;
use crate::visible;
use model::text::clip;
use serde_json::Value;

/// Nodes drawn at most; what is left is counted.
const MAX_NODES: usize = 400;
/// Levels drawn at most; what lies deeper is shown as one line of text.
const MAX_DEPTH: usize = 12;
/// Longest text of one value, in characters.
const MAX_CHARS: usize = 2_000;
/// Items of one list or object drawn at most.
const MAX_ITEMS: usize = 100;

/// A value as a tree: `<ul class="json">`, nested values in `<details>`, the first levels open.
pub fn tree(value: &Value) -> Html {
    let mut tree = Tree { html: Html::new(), nodes: 0 };
    match value {
        Value::Array(_) | Value::Object(_) => tree.children(value, 0),
        scalar => {
            tree.html.tag("<p class=\"json\">");
            tree.scalar(scalar);
            tree.html.tag("</p>");
        }
    }
    tree.html
}

struct Tree {
    html: Html,
    nodes: usize,
}

impl Tree {
    fn children(&mut self, value: &Value, depth: usize) {
        self.html.tag(if depth == 0 { "<ul class=\"json well\" role=\"list\">" } else { "<ul role=\"list\">" });
        let left = match value {
            Value::Object(map) => {
                let mut drawn = 0;
                for (key, child) in map {
                    if !self.child(Some(key), child, depth, drawn) {
                        break;
                    }
                    drawn += 1;
                }
                map.len() - drawn
            }
            Value::Array(items) => {
                let mut drawn = 0;
                for child in items {
                    if !self.child(None, child, depth, drawn) {
                        break;
                    }
                    drawn += 1;
                }
                items.len() - drawn
            }
            _ => 0,
        };
        if left > 0 {
            self.html.tag("<li class=\"h-c\">").number(left as i64).tag(" more</li>");
        }
        self.html.tag("</ul>");
    }

    /// Draws one child; false when enough is drawn.
    fn child(&mut self, key: Option<&str>, value: &Value, depth: usize, drawn: usize) -> bool {
        if self.nodes >= MAX_NODES || drawn >= MAX_ITEMS {
            return false;
        }
        self.nodes += 1;
        self.html.tag("<li>");
        let size = match value {
            Value::Object(map) => map.len(),
            Value::Array(items) => items.len(),
            _ => 0,
        };
        if size == 0 {
            self.key(key);
            self.scalar(value);
        } else if depth >= MAX_DEPTH {
            self.key(key);
            self.html.tag("<span class=\"h-c\">").number(size as i64).tag(" items, too deep to draw</span>");
        } else {
            self.html.tag(if depth < 1 && size <= 12 { "<details open><summary>" } else { "<details><summary>" });
            self.key(key);
            self.html.tag("<span class=\"h-c\">").number(size as i64);
            self.html.tag(match (value, size) {
                (Value::Object(_), 1) => " key",
                (Value::Object(_), _) => " keys",
                (_, 1) => " item",
                _ => " items",
            });
            self.html.tag("</span></summary>");
            self.children(value, depth + 1);
            self.html.tag("</details>");
        }
        self.html.tag("</li>");
        true
    }

    fn key(&mut self, key: Option<&str>) {
        if let Some(key) = key {
            self.html.tag("<span class=\"h-t\">").text(&clip(key, 200)).tag("</span>: ");
        }
    }

    fn scalar(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(at, _)| at);
                self.html.tag("<span class=\"h-s\">\"");
                visible::push(&mut self.html, &text[..end]);
                self.html.tag(if end < text.len() { "…</span>" } else { "\"</span>" });
                if end < text.len() {
                    let left = crate::figures::count(text[end..].chars().count() as i64);
                    self.html.tag("<span class=\"h-c\"> ").text(&left).tag(" more characters</span>");
                }
            }
            Value::Number(number) => {
                self.html.tag("<span class=\"h-n\">").text(&number.to_string()).tag("</span>");
            }
            Value::Bool(true) => {
                self.html.tag("<span class=\"h-k\">true</span>");
            }
            Value::Bool(false) => {
                self.html.tag("<span class=\"h-k\">false</span>");
            }
            Value::Null => {
                self.html.tag("<span class=\"h-c\">null</span>");
            }
            Value::Array(_) => {
                self.html.tag("<span class=\"h-c\">[]</span>");
            }
            Value::Object(_) => {
                self.html.tag("<span class=\"h-c\">{}</span>");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tree;
    use serde_json::{Value, json};

    #[test]
    fn a_small_value() {
        insta::assert_snapshot!(tree(&json!({"a": [1, "<b>", null], "empty": {}, "yes": true})).as_str());
        insta::assert_snapshot!(tree(&json!("text")).as_str());
    }

    #[test]
    fn deep_and_wide_values_are_bounded() {
        let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
        assert!(tree(&deep).as_str().contains("1 items, too deep to draw") || tree(&deep).len() < 2_000);
        let wide = Value::Array((0..5_000).map(Value::from).collect());
        assert!(tree(&wide).as_str().ends_with("<li class=\"h-c\">4900 more</li></ul>"));
    }
}
