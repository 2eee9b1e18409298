//! Images and documents: the bytes become a blob, the message names it.

use super::at::{At, derived_id, envelope, sha256};
use super::obj::{Obj, list};
use super::state::State;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use model::{Part, Role};
use serde_json::{Value, json};

impl State {
    /// An image or document block.
    pub fn file(&mut self, at: &At, block: &Obj, id: &str, role: Role) {
        // What a person pasted has no name: one like a file's would be looked for in vain.
        let is_pasted = role == Role::User && block.str("type").as_deref() == Some("image");
        let (content, item) = self.item(block, is_pasted.then(|| "Pasted image".to_owned()));
        let mut draft = at.text(id, role, if role == Role::User { "user" } else { "bot" }, content);
        draft.metadata = Some(envelope("FILE", json!({ "files": [item] })));
        self.book.say(at.session, draft, at.span);
    }

    /// A file that a tool read, on a line of its own behind the tool's result: part of the call, where that is known.
    pub fn read_file(&mut self, at: &At, block: &Obj, id: &str, line: &Obj) {
        let parent = line.filled("parentUuid");
        let call_id = line.filled("sourceToolUseID").or_else(|| self.calls.answered_by(parent.as_deref()?));
        let name = call_id.as_deref().and_then(|call_id| self.file_name(call_id));
        let (content, item) = self.item(block, name);
        let metadata = envelope("FILE", json!({ "files": [item] }));
        let draft = if let Some(call_id) = call_id {
            at.derived(id, &call_id, content, metadata)
        } else {
            let mut draft = at.text(id, Role::System, "meta", content);
            draft.metadata = Some(metadata);
            draft
        };
        self.book.say(at.session, draft, at.span);
    }

    /// The name of the file that a call reads.
    fn file_name(&self, call_id: &str) -> Option<String> {
        let path =
            ["file_path", "path", "filename", "filePath"].iter().find_map(|key| self.call_input(call_id, key))?;
        path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).map(str::to_owned)
    }

    /// Images in a tool's result.
    pub fn tool_files(&mut self, at: &At, block: &Obj, call_id: &str, call_message: &str) {
        let mut count = 0;
        for raw in block.raw("content").and_then(list).unwrap_or_default() {
            let Some(block) = Obj::parse(raw) else { continue };
            if !matches!(block.str("type").as_deref(), Some("image" | "document")) {
                continue;
            }
            let name = self.file_name(call_id);
            let (content, item) = self.item(&block, name);
            let metadata = envelope("FILE", json!({ "files": [item] }));
            let draft = at.derived(&derived_id(call_message, "file", count), call_id, content, metadata);
            debug_assert_eq!(draft.part, Part::Derived);
            self.book.say(at.session, draft, at.span);
            count += 1;
        }
    }

    /// A text for the message, and the entry of `files`.
    fn item(&mut self, block: &Obj, name: Option<String>) -> (String, Value) {
        let source = block.obj("source");
        let get = |key: &str| source.as_ref().and_then(|source| source.filled(key));
        let document = block.str("type").as_deref() == Some("document");
        let mime = get("media_type").unwrap_or_else(|| "application/octet-stream".to_owned());
        let what = if document { "document" } else { "image" };
        let name = block.filled("title").or(name).unwrap_or_else(|| format!("{what}.{}", extension(&mime)));
        if let Some(url) = get("url") {
            let item = json!({ "name": name, "mime": mime, "size": 0, "state": "error", "error": "kept elsewhere" });
            return (format!("{name} ({url})"), item);
        }
        let bytes = if get("type").as_deref() == Some("text") {
            get("data").map(String::into_bytes)
        } else {
            get("data").and_then(|data| {
                let data = data.trim();
                STANDARD.decode(data).or_else(|_| STANDARD_NO_PAD.decode(data)).ok()
            })
        };
        let Some(bytes) = bytes else {
            let item = json!({ "name": name, "mime": mime, "size": 0, "state": "error", "error": "not readable" });
            return (name, item);
        };
        let hash = sha256(&bytes);
        let item = json!({
            "name": name, "mime": mime, "size": bytes.len(), "blob": format!("sha256:{hash}"), "state": "ready",
        });
        self.book.blob(hash, mime, bytes);
        (name, item)
    }
}

fn extension(mime: &str) -> &str {
    match mime {
        "image/jpeg" => "jpg",
        "image/svg+xml" => "svg",
        "text/plain" => "txt",
        _ => mime.rsplit('/').next().filter(|word| word.len() <= 5).unwrap_or("bin"),
    }
}
