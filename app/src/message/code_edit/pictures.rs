//! Images before and after: beside each other, one over the other behind an edge that is dragged, or as their
//! difference. No script: the choice is a radio button, the edge is that of an element that can be resized.

use crate::html::Html;
use api::Route as _;
use api::contract::GetBlob;

/// Larger ones stay in the record, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// None where a side isn't an image that can be shown.
pub fn pictures_html(path: &str, old: Option<&str>, new: Option<&str>) -> Option<Html> {
    if !is_picture(path, old, new) {
        return None;
    }
    let source = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(|text| address(path, text));
    let (old, new) = (source(old), source(new));
    let (old, new) = match (old, new) {
        (Some(None), _) | (_, Some(None)) | (None, None) => return None,
        (old, new) => (old.flatten(), new.flatten()),
    };
    let mut html = Html::new();
    html.tag("<div class=\"pictures\">");
    if let (Some(old), Some(new)) = (&old, &new) {
        // Radio buttons of one name are one choice: the name is that of the content.
        let name = crate::shared::hash::text_hash(&format!("{path}{old}{new}"));
        html.tag("<div class=\"picture-ways\" role=\"group\" aria-label=\"How the images are compared\">");
        for (way, words, checked) in [
            ("beside", "Side by side", " checked"),
            ("swipe", "Swipe", ""),
            ("onion", "Fade", ""),
            ("difference", "Difference", ""),
        ] {
            html.tag("<label><input type=\"radio\" class=\"tick\"").attr("name", &name).attr("value", way);
            html.tag(checked).tag(">").tag(words).tag("</label>");
        }
        html.tag("<input type=\"range\" class=\"onion\" min=\"0\" max=\"100\" value=\"50\" aria-label=\"Opacity of the new image\">");
        html.tag("</div>");
    }
    html.tag("<div class=\"picture-sides\">");
    for (side, address) in [("Before", &old), ("After", &new)] {
        if let Some(address) = address {
            html.tag(if side == "Before" { "<figure class=\"before\">" } else { "<figure class=\"after\">" });
            html.tag("<div><img").attr("src", address).attr("alt", &format!("{side}: {path}"));
            html.tag(" decoding=\"async\"></div><figcaption>")
                .tag(side)
                .tag("<span class=\"num\">")
                .text(&size(address))
                .tag("</span></figcaption></figure>");
        }
    }
    html.tag("</div></div>");
    Some(html)
}

/// How large an image is that stands in its own address: of every four characters three are bytes.
fn size(address: &str) -> String {
    let Some((_, data)) = address.split_once(";base64,") else { return String::new() };
    let bytes = data.trim_end_matches('=').len() * 3 / 4;
    format!(", {}", crate::figures::bytes(bytes as u64))
}

/// Returns true if the file is an image, written as text or stored as a blob.
fn is_picture(path: &str, old: Option<&str>, new: Option<&str>) -> bool {
    let is_named = mime_of(path).is_some();
    let says_so = |text: &str| text.starts_with("data:image/") || (is_named && text.starts_with("sha256:"));
    is_named || [old, new].into_iter().flatten().any(says_so)
}

/// Where the bytes of a text are: in it, or at our own address.
fn address(path: &str, text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return None;
    }
    if let Some(digest) = text.strip_prefix("sha256:") {
        let is_digest = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
        return is_digest.then(|| GetBlob.path([digest]));
    }
    let (mime, data) = match text.strip_prefix("data:") {
        Some(rest) => rest.split_once(";base64,")?,
        None => (mime_of(path)?, text),
    };
    let is_base64 = data.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'\n' | b'\r'));
    let is_drawn = matches!(mime, "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/avif");
    (is_base64 && is_drawn && data.len() > 16).then(|| format!("data:{mime};base64,{}", data.replace(['\n', '\r'], "")))
}

/// Formats that every browser draws and that hold no script.
fn mime_of(path: &str) -> Option<&'static str> {
    let extension = std::path::Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::pictures_html;

    const DATA: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==";

    #[test]
    fn both_sides_or_one_and_nothing_that_is_no_image() {
        let both =
            pictures_html("a.png", Some(DATA), Some(DATA)).map(crate::html::Html::into_string).unwrap_or_default();
        assert!(both.contains("Before: a.png") && both.contains("After: a.png") && both.contains("Swipe"));
        let one = pictures_html("a.png", None, Some(DATA)).map(crate::html::Html::into_string).unwrap_or_default();
        assert!(!one.contains("Before") && !one.contains("Swipe") && one.contains(DATA));
        assert!(pictures_html("a.png", Some("data:image/svg+xml;base64,PHN2Zz48L3N2Zz4="), Some(DATA)).is_none());
        assert!(pictures_html("a.png", Some("\u{fffd}PNG"), Some(DATA)).is_none());
        assert!(pictures_html("a.rs", Some("fn a() {}"), Some("fn b() {}")).is_none());
    }
}
