//! Images and documents: the bytes become a blob, the message names it.

use super::at::{At, derived_id, envelope};
use super::obj::Obj;
use super::state::State;
use crate::parts::files::files_in;
use model::{Part, Role};

impl State {
    /// An image or document block.
    pub fn file(&mut self, at: &At, block: &Obj, id: &str, role: Role) {
        // A pasted image has no file name. A name that looks like a file's would be searched for in vain.
        let is_pasted = role == Role::User && block.str("type").as_deref() == Some("image");
        let file = self.book.file(block, is_pasted.then(|| "Pasted image".to_owned()));
        self.book.say(at.session, at.file(id, role, file), at.span);
    }

    /// A file that a tool read, on a line of its own behind the tool's result: part of the call, where that is known.
    pub fn read_file(&mut self, at: &At, block: &Obj, id: &str, line: &Obj) {
        let parent = line.filled("parentUuid");
        let call_id = line.filled("sourceToolUseID").or_else(|| self.calls.answered_by(parent.as_deref()?));
        let name = call_id.as_deref().and_then(|call_id| self.file_name(call_id));
        let (content, file) = self.book.file(block, name);
        let draft = if let Some(call_id) = call_id {
            at.derived(id, &call_id, content, envelope(file))
        } else {
            let mut draft = at.text(id, Role::System, "meta", content);
            draft.metadata = Some(envelope(file));
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

    /// Files in a tool's result; where it has none, the one that the line's structured result is.
    pub fn tool_files(&mut self, at: &At, block: &Obj, call_id: &str, call_message: &str, line: Option<&Obj>) {
        for (count, block) in files_in(block.raw("content").unwrap_or_default(), line).into_iter().enumerate() {
            let name = self.file_name(call_id);
            let (content, file) = self.book.file(&block, name);
            let draft = at.derived(&derived_id(call_message, "file", count), call_id, content, envelope(file));
            debug_assert_eq!(draft.part, Part::Derived);
            self.book.say(at.session, draft, at.span);
        }
    }
}
