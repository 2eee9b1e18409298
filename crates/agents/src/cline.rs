//! Cline, and Roo Code and others that were made from it: `tasks/<task>/api_conversation_history.json`, an array of what was said to the
//! model and what it said. Older versions keep tokens and costs in `ui_messages.json` beside it alone.
//!
//! Calls are blocks of their own, or tags in a text, of which `tags` reads the last one; its result is a text then.
//!
//! Ids of messages: `<task>~<index>`, with `~<n>` of one of several blocks; `<call id>` of a tool call, which is that of its block where
//! it is written as tags.

mod beside;
mod tags;

use crate::Span;
use crate::parts::at::At;
use crate::parts::blocks::{cut, result_text};
use crate::parts::calls::input;
use crate::parts::document::Document;
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::{Obj, string};
use crate::parts::result::Result;
use crate::parts::{proposal, todos};
use beside::{Requests, spent_of};
use model::{Origin, Part, Role, Spent};
use serde_json::{Map, Value};
use tags::{Told, told};

/// Reads one task.
pub(crate) struct Task {
    log: Log,
    /// The call that was written as tags, and what was told of its result so far; None before anything was.
    written: Option<(String, Option<String>)>,
    /// The checklist as it was told last.
    progress: String,
    requests: Requests,
}

impl Task {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "cline";
    /// Like [`Self::NAME`], of Roo Code.
    pub const ROO: &'static str = "roo";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 1;
    /// The name of the file beside with what a person saw.
    pub const SEEN: &'static str = "/ui_messages.json";

    pub fn new(path: &str, seen: Option<&[u8]>) -> Self {
        let mut folders = path.rsplit(['/', '\\']).skip(1);
        // A task's folder is called by its id.
        let folder = folders.next().filter(|folder| stem(path).starts_with("api_") && !folder.is_empty());
        let named = folder.unwrap_or_else(|| stem(path));
        let requests = Requests::of(seen);
        Self { log: Log::new(named), written: None, progress: String::new(), requests }
    }

    fn message(&mut self, at: &mut At, message: &Obj) {
        let raw = message.raw("content").unwrap_or("\"\"");
        let blocks = crate::parts::obj::list(raw).unwrap_or_else(|| vec![raw]);
        let is_agent = message.str("role").as_deref() == Some("assistant");
        if is_agent {
            self.end_written(at);
            let model = message.obj("modelInfo").and_then(|info| info.filled("modelId"));
            self.log.comes_from(Origin { model, ..Origin::default() });
            at.origin = self.log.origin.clone();
            self.log.alive(at);
            if let Some(spent) = spent_of(message).or_else(|| self.requests.next(message.int("ts"))) {
                self.log.spent_ahead(Spent { id: at.id.clone(), ..spent });
            }
        }
        for (n, raw) in blocks.iter().enumerate() {
            let id = at.block_id(n, blocks.len());
            let block = Obj::parse(raw);
            let text = string(raw).map(std::borrow::Cow::into_owned).or_else(|| block.as_ref()?.string("text"));
            let block = block.unwrap_or_else(|| Obj::beginning(""));
            let kind = block.filled("type").unwrap_or_default();
            match (kind.as_str(), text) {
                ("text" | "", Some(text)) if is_agent => self.said(at, &id, &text),
                ("text" | "", Some(text)) => self.told(at, &id, &text),
                ("thinking" | "reasoning" | "redacted_thinking", text) => {
                    self.log.thought(at, &id, &block.filled("thinking").or(text).unwrap_or_default());
                }
                ("tool_use", _) => {
                    let tool = block.filled("name").unwrap_or_else(|| "unknown".to_owned());
                    let given = block.raw("input").map(input).unwrap_or_default();
                    self.call(at, &block.filled("id").unwrap_or(id), &tool, given);
                }
                ("tool_result", _) => self.result(&At { id, ..at.clone() }, &block),
                ("image", _) => {
                    self.log.file(at, &id, if is_agent { Role::Assistant } else { Role::User }, &block);
                }
                (kind, _) => self.log.aside(&At { id, ..at.clone() }, kind, &block),
            }
        }
        if !is_agent {
            self.end_written(at);
        }
        self.log.say_empty(at);
    }

    /// Reads a message of the model: words, and a call behind them.
    fn said(&mut self, at: &At, id: &str, text: &str) {
        let written = tags::call_in(text);
        let words = written.as_ref().map_or(text, |written| written.before);
        let (thought, words) = tags::thought_in(words);
        if let Some(thought) = thought {
            self.log.thought(at, &format!("{id}~thinking"), thought);
        }
        if !words.trim().is_empty() {
            self.log.answer(at, id, words.trim());
        }
        if let Some(written) = written {
            let call_id = format!("{id}~call");
            self.call(at, &call_id, written.tool, written.input);
            self.written = Some((call_id, None));
        }
    }

    fn call(&mut self, at: &At, call_id: &str, tool: &str, given: Map<String, Value>) {
        let text = |key: &str| given.get(key).and_then(Value::as_str).map(str::to_owned);
        let (progress, result) = (text("task_progress"), text("result").filter(|_| tool == "attempt_completion"));
        let response = text("response").filter(|_| tool == "plan_mode_respond");
        self.log.call(at, call_id, tool, given);
        if let Some(words) = result.or(response) {
            self.log.answer(at, &format!("{call_id}~said"), &words);
        }
        if tool == "attempt_completion" {
            self.log.calls.end_all(&mut self.log.book, at.session, "done");
            self.log.pause(at);
        }
        if let Some(progress) = progress.filter(|progress| *progress != self.progress) {
            self.progress(at, call_id, &progress);
        }
    }

    /// A checklist that a call hands in besides.
    fn progress(&mut self, at: &At, call_id: &str, text: &str) {
        text.clone_into(&mut self.progress);
        let given = Map::from_iter([("todos".to_owned(), text.into())]);
        let entries = proposal::todos("todo", &given, &[]).unwrap_or_default();
        let Some((content, metadata)) = todos::of_list(&entries) else { return };
        self.log.facts().count_todos(&metadata);
        let mut draft = at.text(&format!("{call_id}~progress"), Role::Assistant, "bot", content);
        (draft.metadata, draft.part) = (Some(metadata), Part::Whole);
        self.log.say(at, draft);
    }

    /// A text that the program or a person says to the model.
    fn told(&mut self, at: &mut At, id: &str, text: &str) {
        if let Some((_, output)) = self.written.as_mut().filter(|_| tags::is_result(text)) {
            output.get_or_insert_default();
        }
        for (n, told) in told(text).into_iter().enumerate() {
            let id = if n == 0 { id.to_owned() } else { format!("{id}~{n}") };
            match told {
                Told::Person(words) => {
                    self.end_written(at);
                    self.log.prompt(at, &id, words);
                }
                Told::Program(kind, words) => {
                    if kind == "environment_details"
                        && let Some(cwd) = tags::folder_in(words)
                    {
                        self.log.comes_from(Origin { cwd: Some(cwd.to_owned()), ..Origin::default() });
                        at.origin = self.log.origin.clone();
                    }
                    self.log.told(at, &id, kind, words);
                }
                Told::Words(words) => match &mut self.written {
                    // Text behind the head of a result belongs to the result.
                    Some((call, output)) => {
                        let output = output.get_or_insert_default();
                        if !output.is_empty() {
                            output.push('\n');
                        }
                        output.push_str(words);
                        let call = call.clone();
                        self.log.belongs(at, &call);
                    }
                    None if self.log.facts().runs.last_id().is_none() => self.log.prompt(at, &id, words),
                    None => self.log.told(at, &id, "program", words),
                },
            }
        }
    }

    /// The result of the call that was written as tags is whole.
    fn end_written(&mut self, at: &At) {
        if let Some((call, Some(output))) = self.written.take_if(|(_, output)| output.is_some()) {
            self.log.result(at, Some(&call), "\"\"", outcome(output, false));
        }
    }

    fn result(&mut self, at: &At, block: &Obj) {
        let raw = block.raw("content").unwrap_or("\"\"");
        let text = result_text(raw);
        let result = outcome(tags::answer_in(&text).unwrap_or(&text).to_owned(), block.is_true("is_error"));
        self.log.result(at, block.filled("tool_use_id").as_deref(), raw, result);
    }

    /// Requests that no answer was found for were made all the same.
    fn count(&mut self) {
        for (n, spent) in self.requests.left().into_iter().enumerate() {
            let id = format!("{}~spent~{n}", self.log.facts().key);
            self.log.spent(Spent { id, ..spent });
        }
    }
}

/// How a call went, by what the program says of it.
fn outcome(text: String, is_error: bool) -> Result {
    let begins = |start: &str| text.trim_start().starts_with(start);
    let state = if begins("The user denied this operation") {
        "denied"
    } else if is_error || begins("The tool execution failed") || begins("Error executing") || begins("<error>") {
        "failed"
    } else {
        "done"
    };
    Result { state, text, ..Result::default() }
}

contents_of_log!(Task, Task::count);

impl Document for Task {
    const LISTS: &'static [&'static str] = &["messages"];

    fn field(&mut self, name: &str, raw: &str, span: Span) {
        self.log.session(None);
        let id = format!("{}~{name}", self.log.facts().key);
        let Some(at) = self.log.line_at(Some(id), None, raw, span) else { return };
        self.log.say(&at, at.aside(&at.id, "session_meta", cut(&format!("{name}: {}", raw.trim()), 200)));
    }

    fn entry(&mut self, _: &str, index: usize, raw: &str, span: Span) {
        self.log.session(None);
        let message = Obj::parse(raw);
        let id = format!("{}~{index}", self.log.facts().key);
        let stamp = message.as_ref().and_then(|message| message.raw("ts"));
        let Some(mut at) = self.log.line_at(Some(id), stamp, raw, span) else { return };
        match message {
            Some(message) => self.message(&mut at, &message),
            None => self.log.say(&at, at.aside(&at.id, "unknown", cut(raw, 200))),
        }
    }
}
