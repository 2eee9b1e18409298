//! Images among what a tool gave back, inline.

use crate::html::Html;
use serde_json::Value;

/// Larger ones stay in the record, in bytes of base64.
const MAX_BYTES: usize = 3 * 1024 * 1024;

/// A block of an image: its type and its bytes in base64, as the two common protocols write it.
fn read(block: &Value) -> Option<(&str, &str)> {
    if block.get("type").and_then(Value::as_str) != Some("image") {
        return None;
    }
    let source = block.get("source").unwrap_or(block);
    let text = |keys: [&str; 2]| keys.iter().find_map(|key| source.get(*key)?.as_str());
    let mime = text(["media_type", "mimeType"])?;
    let known = matches!(mime, "image/png" | "image/jpeg" | "image/gif" | "image/webp");
    let data = text(["data", "base64"])?;
    let plain = data.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'\n'));
    (known && plain).then_some((mime, data))
}

/// The image, which a click enlarges. None if the block is none; its bytes are never shown as text.
pub(super) fn draw(block: &Value) -> Option<Html> {
    let is_image = block.get("type").and_then(Value::as_str) == Some("image");
    let mut html = Html::new();
    let Some((mime, data)) = read(block) else {
        let words = "This image can't be shown, because its type or content is unknown. The raw record has it";
        html.tag("<p class=\"line note-line\">").text(words).tag("</p>");
        return is_image.then_some(html);
    };
    let kind = mime.trim_start_matches("image/").to_uppercase();
    let size = crate::figures::bytes(data.len() as u64 * 3 / 4);
    if data.len() > MAX_BYTES {
        html.tag("<p class=\"line note-line\">").text(&format!("{kind} image, {size}: in the raw record")).tag("</p>");
        return Some(html);
    }
    html.tag("<details class=\"shot\"><summary title=\"Enlarge\"><img loading=\"lazy\" decoding=\"async\"");
    html.attr("alt", &format!("Image returned by the tool, {kind}, {size}"));
    html.attr("src", &format!("data:{mime};base64,{data}")).tag("></summary></details>");
    Some(html)
}
