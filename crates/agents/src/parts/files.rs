//! Files inside of blocks: the bytes become a blob, which the entry of a FILE message names.

use super::at::sha256;
use super::book::Book;
use super::obj::{Obj, list};
use super::picture;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use model::message_type::file::{File, FileItem, FileState};

impl Book {
    /// Reads a block with a file: returns the text and the payload of its message. The bytes become a blob.
    pub fn file(&mut self, block: &Obj, name: Option<String>) -> (String, File) {
        let source = source(block);
        let get = |key: &str| source.as_ref().and_then(|source| source.filled(key));
        let is_image = matches!(block.str("type").as_deref(), Some("image" | "image_url" | "input_image"));
        let document = !is_image;
        let url = url(block).or_else(|| get("url"));
        let inside = url.as_deref().and_then(|url| url.strip_prefix("data:")?.split_once(";base64,"));
        let mime = inside.map(|(mime, _)| mime.to_owned());
        let mime = mime.or_else(|| source.as_ref().and_then(mime_of)).unwrap_or_else(|| {
            // The type isn't stated: PNG stands for any image, whose bytes say which one it is.
            if is_image { "image/png" } else { "application/octet-stream" }.to_owned()
        });
        let what = if document { "document" } else { "image" };
        let name = block.filled("title").or(name).unwrap_or_else(|| format!("{what}.{}", extension(&mime)));
        if let Some(url) = url.as_deref().filter(|_| inside.is_none()) {
            let text = format!("{name} ({url})");
            return (text, File { files: vec![item(name, mime, Some("kept elsewhere"))] });
        }
        let data = inside.map(|(_, data)| data.to_owned()).or_else(|| DATA.iter().find_map(|key| get(key)));
        let bytes = if get("type").as_deref() == Some("text") {
            data.map(String::into_bytes)
        } else {
            data.and_then(|data| {
                let data: String = data.split_whitespace().collect();
                STANDARD.decode(&data).or_else(|_| STANDARD_NO_PAD.decode(&data)).ok()
            })
        };
        let Some(bytes) = bytes else {
            let item = item(name.clone(), mime, Some("Its bytes can't be read"));
            return (name, File { files: vec![item] });
        };
        let format = picture::format(&bytes);
        let (is_picture, hash) = (mime.starts_with("image/"), sha256(&bytes));
        let mime = format.filter(|_| is_picture).map_or(mime, str::to_owned);
        let broken = "The picture is broken: its bytes are no whole image";
        let error = Some(broken).filter(|_| is_picture && format.is_none());
        let (size, blob) = (bytes.len() as u64, Some(format!("sha256:{hash}")));
        let item = FileItem { size, blob, ..item(name.clone(), mime.clone(), error) };
        self.blob(hash, mime, bytes);
        (name, File { files: vec![item] })
    }
}

/// An entry of `files` whose bytes aren't known.
pub(crate) fn item(name: String, mime: String, error: Option<&str>) -> FileItem {
    let state = if error.is_some() { FileState::Error } else { FileState::Ready };
    FileItem { name, mime, size: 0, blob: None, state, error: error.map(str::to_owned), actions: Vec::new() }
}

/// Fields that hold bytes, in base64.
const DATA: [&str; 3] = ["data", "base64", "blob"];

/// Does a block hold a file, or name one by its address? In any of the usual forms: bytes inside the block, in its `source`,
/// in an embedded `resource` or in a `file`.
pub(crate) fn is_file(block: &Obj) -> bool {
    let has_bytes = |source: &Obj| DATA.iter().any(|key| source.has(key)) && mime_of(source).is_some();
    match block.str("type").as_deref() {
        Some("image" | "image_url" | "input_image") => true,
        Some("document") => block.obj("source").is_none_or(|source| !source.has("content")),
        Some("audio" | "resource" | "blob" | "file") => source(block).as_ref().is_some_and(has_bytes),
        _ => false,
    }
}

/// The files among a result's content; where it has none, the picture that the structured result of its line is.
pub(crate) fn files_in<'a>(content: &'a str, line: Option<&Obj<'a>>) -> Vec<Obj<'a>> {
    let blocks = list(content).unwrap_or_else(|| vec![content]);
    let mut files: Vec<Obj> = blocks.into_iter().filter_map(Obj::parse).filter(is_file).collect();
    if files.is_empty() {
        let has_bytes = |result: &Obj| is_file(result) && result.obj("file").is_some_and(|file| file.has("base64"));
        files.extend(line.and_then(|line| line.obj("toolUseResult")).filter(has_bytes));
    }
    files
}

/// Where the bytes of a block are.
fn source<'a>(block: &Obj<'a>) -> Option<Obj<'a>> {
    let inner = ["source", "resource", "file"].iter().find_map(|key| block.obj(key));
    inner.or_else(|| Some(block.clone()))
}

/// The address of a picture, as text or in an object of its own.
fn url(block: &Obj) -> Option<String> {
    block.filled("image_url").or_else(|| block.obj("image_url")?.filled("url"))
}

fn mime_of(source: &Obj) -> Option<String> {
    let mime = ["media_type", "mimeType", "mime_type", "mediaType", "type"].iter().find_map(|key| source.filled(key));
    mime.filter(|mime| mime.contains('/'))
}

fn extension(mime: &str) -> &str {
    match mime {
        "image/jpeg" => "jpg",
        "image/svg+xml" => "svg",
        "text/plain" => "txt",
        _ => mime.rsplit('/').next().filter(|word| word.len() <= 5).unwrap_or("bin"),
    }
}
