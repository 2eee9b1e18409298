//! Content: a string, or a list of blocks.

use super::files::is_file;
use super::obj::{Obj, list, string, value};
use serde_json::Value;
use std::borrow::Cow;

/// The text of all text blocks, or of a lone string.
pub(crate) fn joined_text(raw: &str) -> String {
    string(raw).map_or_else(|| texts(raw).join("\n"), Cow::into_owned)
}

/// The result of an agent, and what the program says to the model in a block behind it. Each block is a text that was
/// written by itself, so that without an empty line the last item of one would go on with the next.
pub(crate) fn agent_text(raw: &str) -> (String, Option<String>) {
    if let Some(text) = string(raw) {
        return (text.into_owned(), None);
    }
    let mut texts = parts(raw);
    let is_note = texts.len() > 1 && texts.last().is_some_and(|text| text.starts_with("agentId: "));
    let note = if is_note { texts.pop() } else { None };
    let texts: Vec<&str> = texts.iter().map(|text| text.trim_matches('\n')).filter(|text| !text.is_empty()).collect();
    (texts.join("\n\n"), note)
}

/// Returns the result of a tool as text: its words if there are any, else the data as JSON. Files are separate
/// messages.
pub(crate) fn result_text(raw: &str) -> String {
    parts(raw).join("\n")
}

/// Fields that hold the words of a block of an unknown form, best first.
const WORDS: [&str; 9] =
    ["text", "message", "content", "result", "output", "summary", "error", "error_code", "description"];

fn parts(raw: &str) -> Vec<String> {
    if let Some(text) = string(raw) {
        return Vec::from_iter(Some(text.into_owned()).filter(|text| !text.is_empty()));
    }
    if let Some(blocks) = list(raw) {
        return blocks.into_iter().flat_map(parts).collect();
    }
    let Some(block) = Obj::parse(raw) else { return vec![raw.to_owned()] };
    if let Some(words) = known(&block) {
        return words;
    }
    let words = |key: &&str| block.raw(key).filter(|raw| raw.starts_with(['"', '[', '{'])).map(parts);
    let words = WORDS.iter().filter_map(words).find(|words| !words.is_empty());
    let json = || vec![serde_json::to_string_pretty(&without_data(value(raw))).unwrap_or_default()];
    words.unwrap_or_else(json)
}

/// The words of a block of a known form; none for a file.
fn known(block: &Obj) -> Option<Vec<String>> {
    if is_file(block) {
        return Some(Vec::new());
    }
    let all = |words: [Option<String>; 2]| Some(words.into_iter().flatten().collect());
    match block.str("type").as_deref() {
        Some("text") | None => block.string("text").map(|text| vec![text]),
        Some("tool_reference") => block.string("tool_name").map(|name| vec![name]),
        Some("web_search_result") => all([block.string("title"), block.string("url")]),
        Some("resource") => {
            let resource = block.obj("resource")?;
            let text = resource.string("text")?;
            all([resource.filled("uri"), Some(text)])
        }
        Some("resource_link") => {
            let name = block.filled("title").or_else(|| block.filled("name"));
            let link = [name, block.filled("uri").map(|uri| format!("({uri})"))];
            let link: Vec<String> = link.into_iter().flatten().collect();
            all([Some(link.join(" ")), block.filled("description")])
        }
        Some("document") => {
            let content = block.obj("source")?.raw("content").map(parts)?;
            Some(block.filled("title").into_iter().chain(content).collect())
        }
        _ => None,
    }
}

/// A value without bytes written as text, which nobody reads.
pub(crate) fn without_data(value: Value) -> Value {
    const LONG: usize = 256;
    let is_data = |text: &str| {
        let data = text.strip_prefix("data:").and_then(|url| url.split_once(',')).map_or(text, |(_, data)| data);
        let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_' | b'\n' | b'\r');
        text.len() > LONG && data.bytes().all(fits)
    };
    match value {
        Value::String(text) if is_data(&text) => Value::String(format!("({} bytes of encoded data)", text.len())),
        Value::Array(items) => items.into_iter().map(without_data).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, without_data(value))).collect(),
        other => other,
    }
}

/// The texts of a list of blocks.
fn texts(raw: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for block in list(raw).unwrap_or_default() {
        if let Some(text) = string(block) {
            parts.push(text.into_owned());
        } else if let Some(block) = Obj::parse(block) {
            match block.str("type").as_deref() {
                Some("text") | None => parts.extend(block.string("text")),
                Some("tool_reference") => parts.extend(block.string("tool_name")),
                Some("web_search_result") => {
                    let (title, url) = (block.string("title"), block.string("url"));
                    parts.extend([title, url].into_iter().flatten());
                }
                Some(_) => {}
            }
        }
    }
    parts
}

/// A code fence that the text can't close.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}")
}

/// The first `max` characters, with an ellipsis where something is missing.
pub(crate) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{fenced, result_text};

    #[test]
    fn a_fence_is_longer_than_those_inside() {
        assert_eq!(fenced("", "a\n```\nb"), "````\na\n```\nb\n````");
        assert_eq!(fenced("rust", "x"), "```rust\nx\n```");
    }

    #[test]
    fn what_a_tool_gave_back_is_words_or_data() {
        assert_eq!(result_text(r#"[{"type":"text","text":"a"},"b",{"text":"c"}]"#), "a\nb\nc");
        let inside = r#"{"type":"advisor_result","text":"Use less water."}"#;
        assert_eq!(result_text(inside), "Use less water.");
        assert_eq!(result_text(r#"{"type":"fetch_error","error_code":"not_there"}"#), "not_there");
        let nested = r#"[{"type":"page","content":{"type":"document","source":{"type":"content","content":"d"}}}]"#;
        assert_eq!(result_text(nested), "d");
        let link = r#"[{"type":"resource","resource":{"uri":"f:///a","text":"A"}},{"type":"resource_link","uri":"f:///b","name":"b"}]"#;
        assert_eq!(result_text(link), "f:///a\nA\nb (f:///b)");
        assert_eq!(
            result_text(r#"[{"type":"grid","rows":[1,2]}]"#),
            "{\n  \"type\": \"grid\",\n  \"rows\": [\n    1,\n    2\n  ]\n}"
        );
        assert_eq!(result_text("7"), "7");
        let long = format!(r#"{{"type":"sealed","cipher":"{}"}}"#, "ab+/".repeat(100));
        assert_eq!(result_text(&long), "{\n  \"type\": \"sealed\",\n  \"cipher\": \"(400 bytes of encoded data)\"\n}");
        let picture = r#"[{"type":"image","data":"aGk=","mimeType":"image/png"}]"#;
        assert_eq!(result_text(picture), "");
    }
}
