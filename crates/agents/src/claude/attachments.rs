//! Attachment lines: context that the program gave to the model beside the prompt.

use super::at::{At, extras};
use super::blocks::{fenced, joined_text};
use super::obj::{Obj, list, string};
use super::peers::{peer, peers, words};
use super::said::{Turn, from_other, page_message, tagged};
use super::state::State;
use crate::parts::short::fields_in_short;
use model::{Context, Role};
use serde_json::json;

impl State {
    pub fn attachment(&mut self, at: &At, line: &Obj) {
        let Some(attachment) = line.obj("attachment") else {
            return self.aside(at, "attachment", "An attachment without content");
        };
        let kind = attachment.filled("type").unwrap_or_else(|| "attachment".to_owned());
        if kind == "queued_command" {
            return self.queued_command(at, &attachment);
        }
        if self.mailbox(at, &attachment) {
            return;
        }
        if let Some(source) = attachment.obj("content").and_then(|content| content.obj("file"))
            && source.has("base64")
        {
            self.attached_image(at, &source, &attachment);
            return;
        }
        let mut draft = at.text(&at.id, Role::System, &kind, readable(&kind, &attachment));
        draft.context = Context::Ephemeral;
        if kind.starts_with("hook_") {
            draft.call_id = attachment.filled("toolUseID").filter(|id| self.calls.get(id).is_some());
            draft.metadata = Some(extras(
                "hook",
                json!({
                    "event": attachment.filled("hookEvent"),
                    "name": attachment.filled("hookName"),
                    "exit_code": attachment.int("exitCode"),
                    "duration_ms": attachment.int("durationMs"),
                }),
            ));
        }
        self.book.say(at.session, draft, at.span);
    }

    /// Something that was typed, or came in, while the agent worked; given to the model in the middle of the turn.
    fn queued_command(&mut self, at: &At, attachment: &Obj) {
        let text = attachment.raw("prompt").map(joined_text).unwrap_or_default();
        self.command_is_given(attachment.filled("source_uuid"), &text);
        let other = attachment.obj("origin").and_then(|origin| from_other(&origin, &text));
        let mode = attachment.filled("commandMode").unwrap_or_else(|| "prompt".to_owned());
        if let Some(peers) = peers(&text) {
            let lone = peers.len() == 1;
            for (n, mut peer) in peers.into_iter().enumerate() {
                peer.turn = Turn::Nothing;
                let id = if lone { at.id.clone() } else { format!("{}~peer~{n}", at.id) };
                self.say_said(&mut at.clone(), &id, peer, None);
            }
        } else if let Some(mut said) = page_message(text.trim_start()).or_else(|| tagged(text.trim_start())) {
            // It steers the run that is under way, and begins none.
            said.turn = Turn::Nothing;
            if said.role == Role::User {
                self.prompt_is_shown(at.session, &said.content);
            }
            self.say_said(&mut at.clone(), &at.id, said, None);
        } else if let Some(mut said) = other {
            said.turn = Turn::Nothing;
            self.say_said(&mut at.clone(), &at.id, said, None);
        } else if mode == "prompt" {
            self.prompt_is_shown(at.session, &text);
            // The id that it was sent with: whoever sent it has the same message.
            let id = attachment.filled("source_uuid").unwrap_or_else(|| at.id.clone());
            let draft = at.text(&id, Role::User, "user", text);
            self.book.sessions[at.session].first_prompt(&draft.content);
            self.book.say(at.session, draft, at.span);
        } else {
            let draft = at.text(&at.id, Role::System, &mode.replace('-', "_"), text);
            self.book.say(at.session, draft, at.span);
        }
        let images = attachment.raw("prompt").and_then(list).unwrap_or_default();
        for (index, raw) in images.iter().enumerate() {
            if let Some(block) = Obj::parse(raw)
                && matches!(block.str("type").as_deref(), Some("image" | "document"))
            {
                self.file(at, &block, &format!("{}~{index}", at.id), Role::User);
            }
        }
    }

    /// Messages of teammates that came in while the agent worked. False for other attachments.
    fn mailbox(&mut self, at: &At, attachment: &Obj) -> bool {
        let messages = attachment.list("messages").unwrap_or_default();
        let messages: Vec<Obj> = messages.into_iter().filter_map(Obj::parse).collect();
        let all_named = messages.iter().all(|message| message.has("from") && message.has("text"));
        if messages.is_empty() || !all_named {
            return false;
        }
        for (n, message) in messages.iter().enumerate() {
            let (content, context) = words(message.filled("text").unwrap_or_default().trim());
            let name = message.filled("from").unwrap_or_default();
            let fields = json!({ "color": message.filled("color"), "summary": message.filled("summary") });
            let mut said = peer("teammate", &name, content, context, fields);
            said.turn = Turn::Nothing;
            let id = at.block_id(n, messages.len());
            self.say_said(&mut at.clone(), &id, said, None);
        }
        true
    }

    fn attached_image(&mut self, at: &At, file: &Obj, attachment: &Obj) {
        let name = attachment.filled("displayPath").or_else(|| attachment.filled("filename"));
        let block = json!({
            "type": "image",
            "title": name,
            "source": { "type": "base64", "media_type": file.filled("type"), "data": file.filled("base64") },
        });
        if let Some(block) = Obj::parse(&block.to_string()) {
            self.file(at, &block, &at.id, Role::User);
        }
    }
}

/// An attachment as text: what the model read where the line says it, else its own words, else its fields.
pub(crate) fn readable(kind: &str, attachment: &Obj) -> String {
    if let Some(rendered) = attachment.raw("rendered").map(joined_text).filter(|text| !text.trim().is_empty()) {
        return rendered;
    }
    let path = attachment.filled("displayPath").or_else(|| attachment.filled("filename"));
    let path = path.or_else(|| attachment.filled("path")).or_else(|| attachment.filled("planFilePath"));
    match kind {
        "edited_text_file" => {
            let snippet = attachment.filled("snippet").unwrap_or_default();
            format!("Changed outside: `{}`\n\n{}", path.unwrap_or_default(), fenced("", &snippet))
        }
        "nested_memory" | "file" | "compact_file_reference" | "already_read_file" => {
            let content = attachment.obj("content");
            let text = content.as_ref().and_then(|content| {
                content.filled("content").or_else(|| content.obj("file").and_then(|file| file.filled("content")))
            });
            let path = path.unwrap_or_default();
            match text.or_else(|| attachment.filled("content")) {
                Some(text) => format!("`{path}`\n\n{}", fenced("", &text)),
                None => format!("`{path}`"),
            }
        }
        _ if kind.starts_with("hook_") => {
            let name = attachment.filled("hookName").unwrap_or_else(|| kind.to_owned());
            let blocked = attachment.obj("blockingError").and_then(|error| error.filled("blockingError"));
            let said = blocked.or_else(|| attachment.raw("content").map(joined_text).filter(|text| !text.is_empty()));
            let said = said.or_else(|| attachment.filled("stderr")).or_else(|| attachment.filled("stdout"));
            match said {
                Some(said) => format!("Hook {name}: {said}"),
                None => format!("Hook {name}"),
            }
        }
        _ => {
            for key in ["text", "message", "prompt", "banner", "content", "snippet", "description"] {
                let text = attachment.raw(key).filter(|raw| raw.starts_with(['"', '['])).map(joined_text);
                if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
                    return text;
                }
            }
            let names = attachment.list("addedNames").or_else(|| attachment.list("allowedTools"));
            let names: Vec<_> = names.unwrap_or_default().into_iter().filter_map(string).collect();
            let short = fields_in_short(kind, attachment);
            if names.is_empty() { short } else { format!("{short}: {}", names.join(", ")) }
        }
    }
}
