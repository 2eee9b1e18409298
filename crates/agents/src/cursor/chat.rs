//! A chat of Cursor's command line, as the document that `store::cursor_chat` makes of its database: `{cursor_chat, workspace, changed_at,
//! messages: [{id, message}]}`. A message is in the form of the AI SDK, with what Cursor knows of it in `providerOptions.cursor`.
//!
//! Messages have no times. Ids of messages: `<chat>~<hash>`, with `~again<n>` of one that comes again, and `~<n>` of one of several parts;
//! `<call id>` of a tool call, with the message's id before it where the provider's own is short; `<chat>~<field>` of what is known of it.

use super::{parts, said};
use crate::Span;
use crate::parts::at::At;
use crate::parts::blocks::{cut, joined_text, result_text};
use crate::parts::call_ids::CallIds;
use crate::parts::calls::input;
use crate::parts::document::Document;
use crate::parts::edits::{message, of_texts};
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::{Obj, string};
use crate::parts::result::Result;
use crate::parts::session::TitleRank;
use crate::parts::short::fields_in_short;
use model::envelope::EditState;
use model::{Micros, Origin};
use percent_encoding::percent_decode_str;
use std::collections::HashMap;

/// The field with what Cursor says of the chat.
pub(crate) const HEAD: &str = "cursor_chat";
/// Digits of a hash that stand in an id.
const DIGITS: usize = 16;
/// The name of a chat that has none yet.
const UNNAMED: &str = "New Agent";
/// The start of the program's text to the model before the first prompt.
const ABOUT: &str = "<user_info>";

/// Reads one chat.
pub(crate) struct Chat {
    log: Log,
    calls: CallIds,
    /// How often each message came.
    seen: HashMap<String, usize>,
    /// When it began, in microseconds. 0 if that isn't known.
    created: i64,
}

impl Chat {
    pub fn new(path: &str) -> Self {
        Self { log: Log::new(stem(path)), calls: CallIds::default(), seen: HashMap::new(), created: 0 }
    }

    /// Reads the facts of the chat.
    fn head(&mut self, about: &Obj) {
        self.log.session(about.filled("agentId"));
        self.log.comes_from(Origin { model: about.filled("lastUsedModel"), ..Origin::default() });
        let facts = self.log.facts();
        let name = about.filled("name").filter(|name| name != UNNAMED);
        facts.title(TitleRank::Agent, &name.unwrap_or_default());
        if let Some(created) = about.int("createdAt") {
            self.created = created.saturating_mul(1000);
            facts.seen_at(Micros(self.created));
        }
    }

    fn message(&mut self, at: &mut At, message: &Obj) {
        let known = message.obj("providerOptions").and_then(|options| options.obj("cursor"));
        let raw = message.raw("content").unwrap_or("\"\"");
        match message.str("role").as_deref() {
            Some("user") if known.as_ref().is_some_and(|known| known.is_true("isSummary")) => {
                self.log.compacted(at, Some(joined_text(raw)), None);
            }
            Some("user") => self.prompt(at, raw),
            Some("assistant") => self.answer(at, raw),
            Some("tool") => self.results(at, raw, known.and_then(|known| known.obj("highLevelToolCallResult"))),
            role => self.log.told(at, &at.id, role.unwrap_or("unknown"), joined_text(raw)),
        }
    }

    fn prompt(&mut self, at: &mut At, raw: &str) {
        let own = at.id.clone();
        let blocks = crate::parts::obj::list(raw).unwrap_or_else(|| vec![raw]);
        for (n, raw) in blocks.iter().enumerate() {
            at.id = At { id: own.clone(), ..at.clone() }.block_id(n, blocks.len());
            let block = Obj::parse(raw);
            let text = string(raw).map(std::borrow::Cow::into_owned).or_else(|| block.as_ref()?.string("text"));
            match (text, block) {
                (Some(text), _) if parts(&text).is_none() && text.trim_start().starts_with(ABOUT) => {
                    self.log.told(at, &at.id, "context", text.trim());
                }
                (Some(text), _) => said(&mut self.log, at, &text),
                (None, Some(block)) => self.log.aside(at, &block.filled("type").unwrap_or_default(), &block),
                (None, None) => self.log.say(at, at.aside(&at.id, "unknown", cut(raw, 200))),
            }
        }
    }

    fn answer(&mut self, at: &mut At, raw: &str) {
        self.log.alive(at);
        let blocks = crate::parts::obj::list(raw).unwrap_or_else(|| vec![raw]);
        for (n, raw) in blocks.iter().enumerate() {
            let id = at.block_id(n, blocks.len());
            if let Some(text) = string(raw) {
                self.log.answer(at, &id, &text);
                continue;
            }
            let Some(block) = Obj::parse(raw) else {
                self.log.say(at, at.aside(&id, "unknown", cut(raw, 200)));
                continue;
            };
            let model = block.obj("providerOptions").and_then(|options| options.obj("cursor")?.filled("modelName"));
            if model.is_some() {
                self.log.comes_from(Origin { model, ..Origin::default() });
                at.origin = self.log.origin.clone();
            }
            let text = || block.string("text").unwrap_or_default();
            match block.str("type").as_deref() {
                Some("text") => self.log.answer(at, &id, &text()),
                Some("reasoning") => self.log.thought(at, &id, &text()),
                Some("redacted-reasoning") => self.log.thought(at, &id, ""),
                Some("tool-call") => {
                    let own = block.filled("toolCallId").unwrap_or_else(|| id.clone());
                    let call = self.calls.begin(&at.id, &own);
                    let tool = block.filled("toolName").unwrap_or_else(|| "unknown".to_owned());
                    self.log.call(at, &call, &tool, block.raw("args").map(input).unwrap_or_default());
                }
                kind => self.log.aside(&At { id, ..at.clone() }, kind.unwrap_or_default(), &block),
            }
        }
        self.log.pause(at);
    }

    /// Reads the results of tools. `told` has Cursor's own fields about them.
    fn results(&mut self, at: &At, raw: &str, told: Option<Obj>) {
        let blocks = crate::parts::obj::list(raw).unwrap_or_default();
        for (n, raw) in blocks.iter().enumerate() {
            let id = at.block_id(n, blocks.len());
            let Some(block) = Obj::parse(raw) else {
                self.log.say(at, at.aside(&id, "unknown", cut(raw, 200)));
                continue;
            };
            let at = At { id, ..at.clone() };
            let call = block.filled("toolCallId").map(|own| self.calls.of(&own));
            // It knows of one call.
            let told = told.as_ref().filter(|_| blocks.len() == 1);
            let done = told.and_then(|told| told.obj("output")?.obj("success"));
            if let (Some(call), Some(done)) = (&call, &done) {
                self.changed(&at, call, done);
            }
            let content = ["result", "experimental_content"].iter().find_map(|key| block.raw(key));
            let content = content.unwrap_or("\"\"");
            self.log.result(&at, call.as_deref(), content, outcome(&block, told, result_text(content)));
        }
        self.log.facts().runs.alive(at.time);
    }

    /// Adds the edit that a tool reports: of the texts before and after, or of a diff.
    fn changed(&mut self, at: &At, call: &str, done: &Obj) {
        let text = |key: &str| done.string(key);
        let whole = (text("beforeFullFileContent"), text("afterFullFileContent"));
        match (whole, text("diffString"), self.log.calls.edited(&self.log.book, call)) {
            ((Some(old), Some(new)), _, Some(path)) => {
                let edit = message(&path, of_texts(&old, &new, ""), EditState::Proposed, None);
                self.log.calls.derive(&mut self.log.book, at, call, ("edit", 0), (edit.content, edit.metadata));
            }
            (_, Some(diff), Some(_)) => self.log.patched(at, call, &diff),
            _ => {}
        }
    }
}

/// How a call went.
fn outcome(block: &Obj, told: Option<&Obj>, text: String) -> Result {
    let output = told.and_then(|told| told.obj("output"));
    let failed = [Some(block), told, output.as_ref()].into_iter().flatten().any(|of| of.is_true("isError"));
    let is_denied = output.as_ref().is_some_and(|output| output.has("rejected"));
    let mut result = Result { text, ..Result::default() };
    let line = result.text.strip_prefix("Exit code: ").and_then(|rest| rest.lines().next());
    let code = line.and_then(|line| line.trim().parse::<i64>().ok());
    result.details.extend(code.map(|code| ("exit_code", code.into())));
    let took = output.and_then(|output| output.obj("success")?.int("executionTime"));
    result.details.extend(took.map(|took| ("duration_ms", took.max(0).into())));
    result.state = match (is_denied, failed || code.is_some_and(|code| code != 0)) {
        (true, _) => "denied",
        (_, true) => "failed",
        _ => "done",
    };
    result
}

/// The path of a folder, of its address.
fn folder(address: &str) -> Option<String> {
    let path = percent_decode_str(address.strip_prefix("file://")?).decode_utf8().ok()?;
    Some(path.into_owned()).filter(|path| !path.is_empty())
}

contents_of_log!(Chat);

impl Document for Chat {
    const LISTS: &'static [&'static str] = &["messages"];

    fn field(&mut self, name: &str, raw: &str, span: Span) {
        let about = Obj::parse(raw).filter(|_| name == HEAD);
        if let Some(about) = &about {
            self.head(about);
        }
        self.log.session(None);
        let id = format!("{}~{name}", self.log.facts().key);
        let Some(at) = self.log.line_at(Some(id), None, raw, span) else { return };
        let text = string(raw).unwrap_or_default();
        match name {
            "workspace" => self.log.comes_from(Origin { cwd: folder(&text), ..Origin::default() }),
            "changed_at" => {
                let changed = raw.trim().parse::<i64>().unwrap_or(0);
                let facts = self.log.facts();
                facts.seen_at(Micros(changed.saturating_mul(1000)));
                // Messages keep the time at which the chat began, whenever it is read.
                facts.seen_at(Micros(self.created));
            }
            _ => {}
        }
        let words = match &about {
            Some(about) => fields_in_short("Chat", &about.without(&["agentId", "latestRootBlobId"])),
            None => cut(&format!("{name}: {}", raw.trim()), 200),
        };
        self.log.say(&at, at.aside(&at.id, "session_meta", words));
    }

    fn entry(&mut self, _: &str, index: usize, raw: &str, span: Span) {
        self.log.session(None);
        let row = Obj::parse(raw);
        let hash = row.as_ref().and_then(|row| row.filled("id")).unwrap_or_else(|| index.to_string());
        let hash: String = hash.chars().take(DIGITS).collect();
        let own = format!("{}~{hash}", self.log.facts().key);
        let count = self.seen.entry(hash).or_insert(0);
        *count += 1;
        let own = if *count > 1 { format!("{own}~again{count}") } else { own };
        let Some(mut at) = self.log.line_at(Some(own), None, raw, span) else { return };
        if let Some(message) = row.and_then(|row| row.obj("message")) {
            self.message(&mut at, &message);
        }
        self.log.say_empty(&at);
    }
}
