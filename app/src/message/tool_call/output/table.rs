//! Records with the same plain fields, as a table.

use crate::html::Html;
use crate::visible;
use model::text::clip;
use serde_json::Value;

/// Larger ones are drawn as a tree, which counts what it leaves out.
const MAX_ROWS: usize = 60;
const MAX_COLUMNS: usize = 8;
/// Longer values are read in a tree, which shows all of them.
const MAX_CHARS: usize = 300;

/// None unless there are two records or more, all with the same few plain values.
pub(super) fn draw(items: &[Value]) -> Option<Html> {
    let columns: Vec<&String> = items.first()?.as_object()?.keys().collect();
    let fits = (2..=MAX_ROWS).contains(&items.len()) && (1..=MAX_COLUMNS).contains(&columns.len());
    let fits_a_cell = |value: &Value| match value {
        Value::Object(_) | Value::Array(_) => false,
        Value::String(text) => text.chars().nth(MAX_CHARS).is_none(),
        _ => true,
    };
    let same = |item: &Value| {
        item.as_object().is_some_and(|row| {
            row.len() == columns.len() && columns.iter().all(|name| row.get(*name).is_some_and(fits_a_cell))
        })
    };
    if !fits || !items.iter().all(same) {
        return None;
    }
    let mut html = Html::new();
    html.tag("<div class=\"table-wrap body\" tabindex=\"0\"><table class=\"table compact\"><thead><tr>");
    for name in &columns {
        html.tag("<th scope=\"col\">").text(&clip(name, 60)).tag("</th>");
    }
    html.tag("</tr></thead><tbody>");
    for row in items {
        html.tag("<tr>");
        for name in &columns {
            let value = row.get(name.as_str()).unwrap_or(&Value::Null);
            html.tag(if value.is_number() { "<td class=\"num\">" } else { "<td>" });
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            visible::push(&mut html, &text);
            html.tag("</td>");
        }
        html.tag("</tr>");
    }
    html.tag("</tbody></table></div>");
    Some(html)
}

#[cfg(test)]
mod tests {
    use super::draw;
    use serde_json::json;

    #[test]
    fn only_records_of_one_shape_are_a_table() {
        let rows = |value: serde_json::Value| draw(value.as_array().expect("a list")).is_some();
        assert!(rows(json!([{"a": 1, "b": "x"}, {"a": 2, "b": null}])));
        assert!(!rows(json!([{"a": 1}, {"b": 2}])));
        assert!(!rows(json!([{"a": 1}])));
        assert!(!rows(json!([{"a": "x".repeat(301)}, {"a": ""}])));
        assert!(!rows(json!([{"a": [1]}, {"a": [2]}])));
        assert!(!rows(json!([])));
    }
}
