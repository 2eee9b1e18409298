//! Contents in the form of Google's API: a text, a part, or a list of parts.

use crate::parts::blocks::result_text;
use crate::parts::book::Book;
use crate::parts::obj::{Obj, list, string};
use model::message_type::file::File;
use serde_json::json;

/// The program's line behind a prompt that names files, before their contents.
pub(crate) const FILES: &str = "--- Content from referenced files ---";

/// A part of a content.
pub(crate) enum ContentPart<'a> {
    Text(String),
    Thought(String),
    /// A call of a tool: `{id, name, args}`.
    Call(Obj<'a>),
    /// The result of a call: `{id, name, response}`.
    Response(Obj<'a>),
    /// A part with a file, or with the address of one.
    File(Obj<'a>),
    /// As JSON.
    Other(&'a str),
}

/// The parts of a content; empty texts are none.
pub(crate) fn parts(raw: &str) -> Vec<ContentPart<'_>> {
    let part = |raw| {
        if let Some(text) = string(raw) {
            return ContentPart::Text(text.into_owned());
        }
        let Some(part) = Obj::parse(raw) else { return ContentPart::Other(raw) };
        if let Some(text) = part.string("text") {
            return if part.is_true("thought") { ContentPart::Thought(text) } else { ContentPart::Text(text) };
        }
        if let Some(call) = part.obj("functionCall") {
            return ContentPart::Call(call);
        }
        if let Some(response) = part.obj("functionResponse") {
            return ContentPart::Response(response);
        }
        if part.has("inlineData") || part.has("fileData") { ContentPart::File(part) } else { ContentPart::Other(raw) }
    };
    let is_empty =
        |part: &ContentPart| matches!(part, ContentPart::Text(text) | ContentPart::Thought(text) if text.is_empty());
    let items = list(raw).unwrap_or_else(|| vec![raw]);
    items.into_iter().map(part).filter(|part| !is_empty(part)).collect()
}

/// The text of a content.
pub(crate) fn text(raw: &str) -> String {
    let text = |part| if let ContentPart::Text(text) = part { Some(text) } else { None };
    parts(raw).into_iter().filter_map(text).collect()
}

/// The text and the payload of a part with a file.
pub(crate) fn file(book: &mut Book, part: &Obj) -> Option<(String, File)> {
    let data = part.obj("inlineData").or_else(|| part.obj("fileData"))?;
    let mime = data.filled("mimeType").unwrap_or_else(|| "application/octet-stream".to_owned());
    let kind = if mime.starts_with("image/") { "image" } else { "document" };
    let mut block = json!({ "type": kind, "mimeType": mime });
    for (key, value) in [("data", data.filled("data")), ("url", data.filled("fileUri"))] {
        if let Some(value) = value {
            block[key] = value.into();
        }
    }
    let block = block.to_string();
    Some(book.file(&Obj::parse(&block)?, data.filled("displayName")))
}

/// The file of a part, as JSON: two parts with the same one show the same file.
pub(crate) fn file_data<'a>(part: &Obj<'a>) -> &'a str {
    let data = |key: &str, field: &str| part.obj(key).and_then(|file| file.raw(field));
    data("inlineData", "data").or_else(|| data("fileData", "fileUri")).unwrap_or_default()
}

/// Returns the text of a call's results, and true if it is an error.
pub(crate) fn response_text(raw: &str) -> (String, bool) {
    let (mut texts, mut is_error) = (Vec::new(), false);
    for part in parts(raw) {
        match part {
            ContentPart::Text(text) => texts.push(text),
            ContentPart::Response(response) => {
                let Some(raw) = response.raw("response") else { continue };
                let object = Obj::parse(raw);
                let get = |key: &str| object.as_ref().and_then(|object| object.raw(key));
                is_error |= get("error").is_some() && get("output").is_none();
                let text = result_text(get("output").or_else(|| get("error")).unwrap_or(raw));
                texts.extend(Some(text).filter(|text| !text.is_empty()));
            }
            _ => {}
        }
    }
    (texts.join("\n"), is_error)
}

/// The files among the results of a call.
pub(crate) fn response_files(raw: &str) -> Vec<Obj<'_>> {
    let mut files = Vec::new();
    for part in parts(raw) {
        match part {
            ContentPart::File(part) => files.push(part),
            ContentPart::Response(response) => {
                let inner = response.list("parts").unwrap_or_default();
                files.extend(inner.into_iter().filter_map(Obj::parse).filter(|part| part.has("inlineData")));
            }
            _ => {}
        }
    }
    files
}
