//! Calls of tools, by whatever lines tell of them.

use super::Rollout;
use super::result::{read, result_of, state_of};
use super::said::Half;
use crate::parts::at::{At, envelope, extras, hash, message_id};
use crate::parts::calls::{NewCall, input};
use crate::parts::obj::Obj;
use crate::parts::patch;
use crate::parts::result::Result;
use crate::parts::todos;
use model::MessageId;
use model::message_type::tool_call::ToolKind;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The tool's name; of a server's tool, with the server's.
pub(super) fn tool_name(item: &Obj) -> String {
    let name = item.filled("name").or_else(|| item.obj("function").and_then(|function| function.filled("name")));
    let name = name.or_else(|| item.filled("tool")).unwrap_or_else(|| "unknown".to_owned());
    match item.filled("namespace") {
        Some(space) => format!("{space}__{}", name.trim_start_matches('_')),
        None => name,
    }
}

/// Returns the input of a call.
pub(super) fn input_of(item: &Obj) -> Map<String, Value> {
    let raw = ["arguments", "input", "action", "invocation"].iter().find_map(|key| item.raw(key));
    raw.map(input).unwrap_or_default()
}

/// The command that a shell is given, without the shell.
fn script(input: &Map<String, Value>) -> Option<&str> {
    let command = input.get("command").or_else(|| input.get("cmd"))?;
    if let Some(command) = command.as_str() {
        return Some(command);
    }
    match command.as_array()?.as_slice() {
        [_, flag, script] if flag.as_str().is_some_and(|flag| flag.starts_with('-')) => script.as_str(),
        _ => None,
    }
}

/// The patch that a call hands in, by itself or in a command.
fn patch_of(tool: &str, input: &Map<String, Value>) -> Option<Vec<patch::FilePatch>> {
    let text = match tool {
        "apply_patch" => ["input", "patch"].iter().find_map(|key| input.get(*key)?.as_str()),
        _ => script(input).filter(|script| script.contains("apply_patch")),
    };
    let given = || match input.get("command")?.as_array()?.as_slice() {
        [program, patch] if program.as_str() == Some("apply_patch") => patch.as_str(),
        _ => None,
    };
    patch::apply_patch(patch::in_text(text.or_else(given)?)?)
}

/// Returns the kind of tools whose names don't tell it.
fn kind(tool: &str) -> Option<ToolKind> {
    match tool {
        "write_stdin" => Some(ToolKind::Execute),
        "list_dir" | "read_mcp_resource" => Some(ToolKind::Read),
        "grep_files" | "tool_search" | "list_mcp_resources" => Some(ToolKind::Search),
        "spawn_agent" | "send_input" | "resume_agent" | "wait" | "wait_agent" | "close_agent" => Some(ToolKind::Think),
        _ if tool.starts_with("collab_") => Some(ToolKind::Think),
        _ => None,
    }
}

/// Returns the target of a call whose input has it in a form that means nothing to people: a shell around a command, or
/// the number of a process.
fn target(input: &Map<String, Value>, running: &HashMap<i64, String>) -> Option<String> {
    if input.get("chars").is_some() {
        return input.get("session_id").and_then(Value::as_i64).and_then(|process| running.get(&process)).cloned();
    }
    input.get("command").filter(|command| command.is_array()).and_then(|_| script(input)).map(str::to_owned)
}

impl Rollout {
    /// The id of a call's message: the call's own one, unless another call had it before, as in transcripts whose ids were removed.
    fn call_message(&mut self, at: &At, new: &NewCall) -> MessageId {
        let content = hash(&format!("{} {}", new.tool, Value::from(new.input.clone())));
        let known = *self.given.entry(hash(&format!("call {}", new.call_id))).or_insert(content);
        let is_over = self.calls.get(&new.call_id).is_some_and(|call| !call.is_open);
        if known == content && !is_over {
            message_id(&new.call_id)
        } else {
            message_id(&format!("{}~{}", new.call_id, at.span.offset))
        }
    }

    /// A call begins, with the edits or the list that its input already says.
    pub(super) fn begin_call(&mut self, at: &At, mut new: NewCall) {
        let (call_id, tool) = (new.call_id.clone(), new.tool.clone());
        let patches = patch_of(&tool, &new.input);
        if let Some([first, rest @ ..]) = patches.as_deref() {
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            new.target = Some(format!("{}{more}", first.path));
            new.kind = Some(ToolKind::Edit);
        } else if new.target.is_none() {
            new.target = target(&new.input, &self.running);
        }
        new.kind = new.kind.or_else(|| kind(&tool));
        let plan = new.input.get("plan").and_then(Value::as_array).filter(|_| tool == "update_plan");
        let plan = plan.and_then(|plan| todos::of_list(plan));
        let id = self.call_message(at, &new);
        self.calls.begin_as(&mut self.book, at, id, new);
        self.calls.ask(&mut self.book, at, &call_id);
        if let Some(list) = plan {
            self.calls.list(&mut self.book, at, &call_id, list);
        }
        if let Some(patches) = patches {
            self.propose(at, &call_id, patches);
        }
    }

    /// A call that is known by its end alone.
    #[expect(clippy::too_many_arguments, reason = "a call and its outcome")]
    pub(super) fn finished_call(
        &mut self,
        at: &At,
        call_id: &str,
        tool: &str,
        input: Map<String, Value>,
        kind: Option<ToolKind>,
        text: String,
        status: Option<&str>,
    ) {
        let new = NewCall { call_id: call_id.to_owned(), tool: tool.to_owned(), input, kind, target: None };
        self.begin_call(at, new);
        let result = Result { state: state_of(status), text, ..Result::default() };
        self.calls.finish(&mut self.book, at, call_id, result);
    }

    /// The result of a tool. Without a call id it belongs to the newest open call.
    pub(super) fn output(&mut self, at: &At, item: &Obj) {
        let given = item.filled("call_id");
        let named = item.filled("name");
        let call_id = given.clone().or_else(|| self.calls.newest_open(named.as_deref()));
        let raw = ["output", "result", "tools"].iter().find_map(|key| item.raw(key)).unwrap_or("\"\"");
        let text = if item.has("tools") { names(raw) } else { None };
        let result = text.map_or_else(|| result_of(raw), |text| Result { state: "done", text, ..Result::default() });
        let Some((call_id, command)) = call_id.and_then(|id| Some((self.command(&id)?, id))).map(|(c, id)| (id, c))
        else {
            return self.stray(at, given, result);
        };
        let number =
            |key: &str| result.details.iter().find(|(name, _)| *name == key).and_then(|(_, value)| value.as_i64());
        if let Some(process) = number("process") {
            self.running.insert(process, command);
        }
        if self.calls.get(&call_id).is_some_and(|call| call.tool.ends_with("spawn_agent"))
            && let Some(spawned) = Obj::parse(&result.text)
            && let Some(child) = ["agent_id", "thread_id", "new_thread_id"].iter().find_map(|key| spawned.filled(key))
        {
            let name = spawned.filled("nickname");
            self.book.child(at.session, &child, &call_id, name.as_deref());
        }
        let result = result.with_files(self.pictures(at, &call_id, raw));
        self.calls.settle_by(&mut self.book, at, &call_id, &result);
        self.calls.finish(&mut self.book, at, &call_id, result);
    }

    /// Returns the command that a call runs, for people. None if no such call is known.
    fn command(&self, call_id: &str) -> Option<String> {
        let call = self.calls.get(call_id)?;
        let payload = self.calls.payload(&self.book, call_id)?;
        let command = payload.get("target").or_else(|| payload.get("input")?.get("cmd"));
        Some(command.and_then(Value::as_str).unwrap_or(&call.tool).to_owned())
    }

    /// The pictures that a tool gave back; how many there are.
    fn pictures(&mut self, at: &At, call_id: &str, raw: &str) -> usize {
        let mut count = 0;
        let blocks = crate::parts::obj::list(raw).unwrap_or_default();
        let pictures = blocks.into_iter().filter_map(Obj::parse).filter(|block| block.has("image_url"));
        for (n, block) in pictures.enumerate() {
            let (content, file) = self.book.file(&block, None);
            let Some(call) = self.calls.get(call_id) else { return count };
            let id = crate::parts::at::derived_id(&call.id, "file", n);
            let draft = at.derived(&id, call_id, content, envelope(file));
            self.say(at, draft);
            count += 1;
        }
        count
    }

    /// A result whose call isn't in the file, or was answered long ago.
    fn stray(&mut self, at: &At, call_id: Option<String>, result: Result) {
        let mut draft = at.text(&at.id, model::Role::Tool, "tool_result", result.text);
        draft.call_id = call_id;
        draft.metadata = Some(extras("is_error", result.state == "failed"));
        self.say(at, draft);
    }

    /// The end of a command, a server's tool or any other call, as an event.
    pub(super) fn call_ended(&mut self, at: &At, call_id: &str, tool: &str, event: &Obj) {
        let mut here = at.clone();
        self.ensure_run(&mut here);
        let at = &here;
        let result = read(event);
        let is_new = self.calls.get(call_id).is_none();
        let joined =
            if is_new && tool == "web_search" { self.searches.join(Half::Event, event, call_id) } else { None };
        let call_id = joined.as_deref().unwrap_or(call_id);
        if let Some(call) = self.calls.get(call_id) {
            // The item with the output says the rest, as long as it is awaited.
            if call.is_open {
                let details = result.details.into_iter().filter(|(key, _)| *key != "exit_code").collect();
                self.calls.extend(&mut self.book, at, call_id, details);
            } else {
                self.calls.extend(&mut self.book, at, call_id, Vec::new());
            }
            return;
        }
        let invocation = event.obj("invocation");
        let source = invocation.as_ref().unwrap_or(event);
        let mut input = match source.value("arguments") {
            Some(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        for key in ["command", "cwd", "query", "path", "action", "prompt", "revised_prompt"] {
            if let Some(value) = event.value(key) {
                input.insert(key.to_owned(), value);
            }
        }
        let server = source.filled("server").or_else(|| source.filled("namespace"));
        let tool = match (server, source.filled("tool")) {
            (Some(server), Some(tool)) => format!("mcp__{}__{tool}", server.trim_start_matches("mcp__")),
            (None, Some(tool)) => tool,
            _ => tool.to_owned(),
        };
        self.begin_call(at, NewCall { call_id: call_id.to_owned(), tool, input, kind: None, target: None });
        self.calls.finish(&mut self.book, at, call_id, result);
    }
}

/// The names of tools that were found.
fn names(raw: &str) -> Option<String> {
    let tools = crate::parts::obj::list(raw)?;
    let name = |raw: &str| Obj::parse(raw)?.filled("name");
    let inner = |raw: &str| {
        let tool = Obj::parse(raw)?;
        let tools = tool.list("tools")?;
        Some(tools.into_iter().filter_map(name).collect::<Vec<_>>())
    };
    let line = |raw: &str| {
        let own = name(raw)?;
        Some(match inner(raw) {
            Some(tools) => format!("{own}: {}", tools.join(", ")),
            None => own,
        })
    };
    Some(tools.into_iter().filter_map(line).collect::<Vec<_>>().join("\n"))
}
