//! Items: what went to the model and came from it.

use super::Rollout;
use super::calls::{input_of, tool_name};
use super::result::texts;
use super::said::Half;
use crate::parts::at::{At, envelope, extras};
use crate::parts::calls::NewCall;
use crate::parts::obj::{Obj, list, string};
use model::message_type::tool_call::ToolKind;
use model::{Context, Role};
use serde_json::{Map, Value, json};

impl Rollout {
    /// An item. `kind` is its type.
    pub(super) fn item(&mut self, at: &At, kind: &str, item: &Obj) {
        match kind {
            "message" => self.message(at, item),
            "reasoning" => {
                let texts = ["summary", "content"].iter().filter_map(|key| item.raw(key)).map(texts);
                let text = texts.map(|texts| texts.join("\n\n")).find(|text| !text.is_empty()).unwrap_or_default();
                self.say_thought(at, &at.id, &text);
            }
            "agent_message" => {
                let text = item.raw("content").map(|raw| texts(raw).join("\n\n")).unwrap_or_default();
                let text = if text.is_empty() { "A message that only the agents can read".to_owned() } else { text };
                let mut draft = at.text(&at.id, Role::System, "agent_message", text);
                draft.sender_name = item.filled("author");
                self.say(at, draft);
            }
            "function_call"
            | "custom_tool_call"
            | "local_shell_call"
            | "tool_call"
            | "web_search_call"
            | "tool_search_call"
            | "image_generation_call" => self.call(at, kind, item),
            _ if kind.ends_with("_output") || kind.ends_with("_result") => self.output(at, item),
            "ghost_snapshot" => {
                let commit = item.obj("ghost_commit").and_then(|commit| commit.filled("id"));
                let words = commit.map_or_else(|| "Snapshot".to_owned(), |commit| format!("Snapshot {commit}"));
                let draft = at.aside(&at.id, kind, words);
                self.say(at, draft);
            }
            _ => self.unknown(at, kind, item),
        }
    }

    /// A message: each part of its content by itself.
    fn message(&mut self, at: &At, item: &Obj) {
        let role = match item.str("role").as_deref() {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => Role::System,
        };
        let raw = item.raw("content").or_else(|| item.raw("message")).unwrap_or("[]");
        let blocks = list(raw).unwrap_or_else(|| vec![raw]);
        if blocks.is_empty() {
            return self.say(at, at.aside(&at.id, "message", "A message without content"));
        }
        for (index, raw) in blocks.iter().enumerate() {
            let id = at.block_id(index, blocks.len());
            let block = Obj::parse(raw);
            let text = string(raw).map(std::borrow::Cow::into_owned).or_else(|| block.as_ref()?.string("text"));
            match (text, block) {
                (Some(text), _) if !self.is_said(at.session, role, &text, Half::Item, at.span) => {
                    self.say_text(at, &id, role, &text, Half::Item);
                }
                (Some(_), _) => {}
                (None, Some(block)) if block.has("image_url") => self.picture(at, &block, &id, role),
                (None, _) => {
                    let mut here = at.clone();
                    here.id = id;
                    match Obj::parse(raw) {
                        Some(block) => self.unknown(&here, "block", &block),
                        None => self.say(at, at.aside(&here.id, "message", "A message without content")),
                    }
                }
            }
        }
    }

    fn picture(&mut self, at: &At, block: &Obj, id: &str, role: Role) {
        let name = (role == Role::User).then(|| "Pasted image".to_owned());
        let file = self.book.file(block, name);
        self.say(at, at.file(id, role, file));
    }

    /// A call of a tool. Those that the provider runs have no result of their own.
    fn call(&mut self, at: &At, kind: &str, item: &Obj) {
        let call_id = item.filled("call_id").or_else(|| item.filled("id")).unwrap_or_else(|| at.id.clone());
        let mut here = at.clone();
        self.ensure_run(&mut here);
        let at = &here;
        let hosted = match kind {
            "web_search_call" => Some(("web_search", "action", ToolKind::Fetch)),
            "image_generation_call" => Some(("image_generation", "", ToolKind::Other)),
            _ => None,
        };
        if let Some((tool, field, kind)) = hosted {
            let has_id = item.has("call_id") || item.has("id");
            let joined =
                if has_id || tool != "web_search" { None } else { self.searches.join(Half::Item, item, &call_id) };
            let call_id = joined.unwrap_or(call_id);
            // The event of its end came before.
            if self.calls.extend(&mut self.book, at, &call_id, Vec::new()) {
                return;
            }
            let mut input = item.value(field).and_then(|value| value.as_object().cloned()).unwrap_or_default();
            if let Some(prompt) = item.filled("revised_prompt") {
                input.insert("prompt".to_owned(), prompt.into());
            }
            self.finished_call(at, &call_id, tool, input, Some(kind), String::new(), item.str("status").as_deref());
            return self.generated_picture(at, &call_id, item);
        }
        let tool = match kind {
            "local_shell_call" => "local_shell".to_owned(),
            "tool_search_call" => "tool_search".to_owned(),
            _ => tool_name(item),
        };
        self.begin_call(at, NewCall { call_id, tool, input: input_of(item), kind: None, target: None });
    }

    /// The picture that a call made, which its line holds.
    fn generated_picture(&mut self, at: &At, call_id: &str, item: &Obj) {
        let Some(data) = item.filled("result") else { return };
        let block = json!({ "type": "image", "data": data }).to_string();
        let Some(block) = Obj::parse(&block) else { return };
        let (content, file) = self.book.file(&block, None);
        if file.files.iter().any(|file| file.blob.is_some()) {
            self.calls.derive(&mut self.book, at, call_id, ("file", 0), (content, envelope(file)));
        }
    }

    /// Shows an item of an unknown type with its data.
    fn unknown(&mut self, at: &At, kind: &str, item: &Obj) {
        let words = item.filled("text").unwrap_or_else(|| format!("An item of type `{kind}`"));
        let payload: Map<String, Value> = item
            .fields()
            .map(|(key, raw)| (key.to_owned(), crate::parts::blocks::without_data(crate::parts::obj::value(raw))))
            .collect();
        let mut draft = at.text(&at.id, Role::System, "codex", words);
        draft.context = Context::None;
        draft.metadata = Some(extras("item", Value::Object(payload)));
        self.say(at, draft);
    }
}
