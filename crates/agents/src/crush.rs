//! Crush: a session of its database, as the document that `store::session_rows` makes of it: `{crush_session, messages}`, the rows of
//! both tables.
//!
//! Ids of messages: `<message>`, with `~<n>` of one of several parts; `<call id>` of a tool call, with the message's id before it where
//! the provider's own is short and comes again; `<session>~<field>` of what is known of the session.

use crate::Span;
use crate::parts::at::{At, extras};
use crate::parts::blocks::{cut, fenced};
use crate::parts::call_ids::{self, CallIds};
use crate::parts::calls::input;
use crate::parts::document::Document;
use crate::parts::edits::{created, message, of_diff, of_texts};
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::Obj;
use crate::parts::result::Result;
use crate::parts::session::TitleRank;
use crate::parts::short::fields_in_short;
use model::envelope::EditState;
use model::{Origin, Role, Spent, Usage};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The field with the session's row.
pub(crate) const HEAD: &str = "crush_session";
/// The folder of a project in which its database lies, where nothing else is set.
const FOLDER: &str = ".crush";

/// Returns the folders with the databases of Crush's projects, given its list of these: `projects.json`. None twice.
///
/// ```
/// let list = r#"{"projects": [{"path": "/work/lamp", "data_dir": "/work/lamp/.crush"}, {"path": "/work/mill", "data_dir": ".data"}]}"#;
/// let folders = agents::crush_folders(list.as_bytes());
/// assert_eq!(folders, ["/work/lamp/.crush", "/work/mill/.data"].map(std::path::PathBuf::from));
/// ```
pub fn crush_folders(list: &[u8]) -> Vec<PathBuf> {
    let list = std::str::from_utf8(list).unwrap_or_default();
    let projects = Obj::parse(list).and_then(|list| list.list("projects")).unwrap_or_default();
    let mut folders: Vec<PathBuf> = Vec::new();
    for project in projects.into_iter().filter_map(Obj::parse) {
        let data = project.filled("data_dir").unwrap_or_else(|| FOLDER.to_owned());
        // It may be named from the project's folder.
        let folder = Path::new(&project.filled("path").unwrap_or_default()).join(data);
        if folder.is_absolute() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// Reads one session.
pub(crate) struct Session {
    log: Log,
    calls: CallIds,
    usage: Usage,
    cost: f64,
    cost_of_sub_agents: f64,
}

impl Session {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "crush";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 1;

    pub fn new(path: &str) -> Self {
        let log = Log::new(stem(path));
        Self { log, calls: CallIds::default(), usage: Usage::default(), cost: 0.0, cost_of_sub_agents: 0.0 }
    }

    /// Reads the facts of the session.
    fn head(&mut self, id: &str, row: &Obj) {
        let facts = self.log.facts();
        if let Some(parent) = row.filled("parent_session_id") {
            // Older versions call it as the call that began it.
            let call =
                id.split_once("$$").map_or_else(|| id.to_owned(), |(message, call)| call_ids::within(message, call));
            facts.set(|facts| &mut facts.parent, Some(parent));
            facts.set(|facts| &mut facts.call_id, Some(call));
        }
        facts.title(TitleRank::Agent, &row.filled("title").unwrap_or_default());
        for time in ["updated_at", "created_at"].iter().filter_map(|key| row.int(key)) {
            facts.seen_at(model::Micros(milliseconds(time).saturating_mul(1000)));
        }
        let count = |key: &str| row.int(key).unwrap_or(0).clamp(0, 1 << 40);
        self.usage = Usage { input: count("prompt_tokens"), output: count("completion_tokens"), ..Usage::default() };
        self.cost = row.float("cost").unwrap_or(0.0);
    }

    fn message(&mut self, at: &mut At, message: &Obj) {
        let role = message.filled("role").unwrap_or_default();
        if role == "assistant" {
            self.log.comes_from(Origin { model: message.filled("model"), ..Origin::default() });
            at.origin = self.log.origin.clone();
            self.log.alive(at);
        }
        let is_summary = message.int("is_summary_message").is_some_and(|is_summary| is_summary != 0);
        let parts: Vec<Obj> = message.list("parts").unwrap_or_default().into_iter().filter_map(Obj::parse).collect();
        let shown = |part: &&Obj| part.str("type").as_deref() != Some("finish");
        let count = parts.iter().filter(shown).count();
        for (n, part) in parts.iter().enumerate() {
            let kind = part.filled("type").unwrap_or_default();
            let data = part.obj("data").unwrap_or_else(|| Obj::beginning(""));
            let id = at.block_id(n, count);
            let text = || data.string("text").unwrap_or_default();
            match (kind.as_str(), role.as_str()) {
                ("text", _) if text().is_empty() => {}
                ("text", "user") => self.log.prompt(at, &id, &text()),
                ("text", "assistant") if is_summary => {
                    self.log.compacted(&At { id, ..at.clone() }, Some(text()), None);
                }
                ("text", "assistant") => self.log.answer(at, &id, &text()),
                ("text", _) => self.log.told(at, &id, &role, text()),
                ("reasoning", _) => self.log.thought(at, &id, &data.string("thinking").unwrap_or_default()),
                ("tool_call", _) => self.call(at, &id, &data),
                ("tool_result", _) => self.result(&At { id, ..at.clone() }, &data),
                ("finish", _) => self.finish(at, &role, &data),
                ("binary", _) => self.binary(at, &id, &role, &data),
                ("shell_command", _) => self.command(at, &id, &data),
                (kind, _) => self.log.aside(&At { id, ..at.clone() }, kind, &data),
            }
        }
        self.log.say_empty(at);
    }

    fn call(&mut self, at: &At, id: &str, data: &Obj) {
        let own = data.filled("id").unwrap_or_else(|| id.to_owned());
        let given = self.calls.begin(&at.id, &own);
        let tool = data.filled("name").unwrap_or_else(|| "unknown".to_owned());
        self.log.call(at, &given, &tool, data.raw("input").map(input).unwrap_or_default());
    }

    fn result(&mut self, at: &At, data: &Obj) {
        let call = data.filled("tool_call_id").map(|own| self.calls.of(&own));
        let metadata = data.filled("metadata").unwrap_or_default();
        let metadata = Obj::parse(&metadata);
        let tool = call.as_deref().and_then(|call| self.log.calls.get(call)).map(|call| call.tool.clone());
        let mut result = outcome(data);
        if tool.as_deref() == Some("bash") {
            self.ran(metadata.as_ref(), &mut result);
        }
        if let (Some(call), Some(metadata)) = (&call, &metadata) {
            self.changed(at, call, metadata);
        }
        let raw = data.raw("content").unwrap_or("\"\"");
        self.log.result(at, call.as_deref(), raw, result);
        self.log.facts().runs.alive(at.time);
    }

    /// How a command went, and where.
    fn ran(&mut self, metadata: Option<&Obj>, result: &mut Result) {
        if let Some((output, _)) = result.text.rsplit_once("\n\n<cwd>") {
            result.text = output.trim_end_matches('\n').to_owned();
        }
        let code = result.text.rsplit_once("Exit code ").and_then(|(_, code)| code.trim().parse::<i64>().ok());
        if let Some(code) = code {
            result.details.push(("exit_code", code.into()));
            result.state = if code != 0 && result.state == "done" { "failed" } else { result.state };
        }
        let Some(metadata) = metadata else { return };
        if let (Some(start), Some(end)) = (metadata.int("start_time"), metadata.int("end_time")) {
            result.details.push(("duration_ms", end.saturating_sub(start).max(0).into()));
        }
        // Where the database's own place doesn't tell it.
        if self.log.facts().facts.project.is_none() {
            self.log.comes_from(Origin { cwd: metadata.filled("working_directory"), ..Origin::default() });
        }
    }

    /// Adds the edit that a tool reports: of the texts before and after, or of a diff.
    fn changed(&mut self, at: &At, call: &str, metadata: &Obj) {
        let Some(path) = self.log.calls.edited(&self.log.book, call) else { return };
        let text = |key: &str| metadata.filled(key);
        let pieces = match (text("old_content"), text("new_content"), text("diff")) {
            (None, Some(new), _) => vec![created(&new)],
            (Some(old), new, _) => of_texts(&old, &new.unwrap_or_default(), ""),
            (None, None, Some(diff)) => match of_diff(&diff, diff.contains("\n@@ -0,0 ")) {
                Some(pieces) => pieces,
                None => return,
            },
            (None, None, None) => return,
        };
        let edit = message(&path, pieces, EditState::Proposed, None);
        self.log.calls.derive(&mut self.log.book, at, call, ("edit", 0), (edit.content, edit.metadata));
    }

    /// Why the model stopped.
    fn finish(&mut self, at: &At, role: &str, data: &Obj) {
        if role != "assistant" {
            return;
        }
        match data.str("reason").as_deref() {
            Some("tool_use") => {}
            Some("canceled") => self.log.interrupted(at, &format!("{}~canceled", at.id)),
            Some(reason @ ("error" | "content_filter")) => {
                let said = |key: &str| data.filled(key);
                let words = [said("message"), said("details")].into_iter().flatten().collect::<Vec<_>>().join(": ");
                let words = if words.is_empty() { "Something failed".to_owned() } else { words };
                self.log.failed(at, &format!("{}~error", at.id), reason, &words);
            }
            _ => self.log.pause(at),
        }
    }

    /// A file that a person attached.
    fn binary(&mut self, at: &At, id: &str, role: &str, data: &Obj) {
        let get = |key: &str| data.filled(key).unwrap_or_default();
        let mime = get("MIMEType");
        let kind = if mime.starts_with("image/") { "image" } else { "document" };
        let source = json!({ "type": "base64", "media_type": mime, "data": get("Data") });
        let block = json!({ "type": kind, "title": get("Path"), "source": source }).to_string();
        let role = if role == "user" { Role::User } else { Role::Assistant };
        match Obj::parse(&block) {
            Some(block) => self.log.file(at, id, role, &block),
            None => self.log.aside(at, "binary", data),
        }
    }

    /// A command that a person ran, and what it gave back.
    fn command(&mut self, at: &At, id: &str, data: &Obj) {
        let shell = data.string("command").unwrap_or_default();
        let output = data.string("output").unwrap_or_default();
        let mut draft = at.text(id, Role::User, "user", format!("! {shell}"));
        draft.metadata = Some(extras("command", json!({ "shell": shell })));
        self.log.say(at, draft);
        let shown = if output.trim().is_empty() { "(no output)".to_owned() } else { fenced("", &output) };
        let mut draft = at.text(&format!("{id}~output"), Role::Tool, "command_output", shown);
        let output = json!({ "stdout": output, "stderr": "", "exit_code": data.int("exit_code") });
        draft.metadata = Some(extras("command_output", output));
        self.log.say(at, draft);
    }

    /// Crush keeps the tokens of the last request, and what all of them cost.
    fn count(&mut self) {
        let own = self.cost - self.cost_of_sub_agents;
        let cost_usd = Some(own).filter(|cost| *cost > 0.0);
        if self.usage.total() > 0 || cost_usd.is_some() {
            let id = format!("{}~spent", self.log.facts().key);
            self.log.spent(Spent { id, usage: self.usage, cost_usd, ..Spent::default() });
        }
    }
}

/// How a call went.
fn outcome(data: &Obj) -> Result {
    let text = data.string("content").unwrap_or_default();
    let words = text.to_lowercase();
    let state = if !data.is_true("is_error") {
        "done"
    } else if words.contains("denied permission") || words.trim() == "permission denied" {
        "denied"
    } else if ["canceled by user", "cancelled by user"].iter().any(|end| words.contains(end)) {
        "cancelled"
    } else {
        "failed"
    };
    Result { state, text, ..Result::default() }
}

/// A time in milliseconds, of one in seconds or milliseconds.
fn milliseconds(time: i64) -> i64 {
    if time > 100_000_000_000 { time } else { time.saturating_mul(1000) }
}

contents_of_log!(Session, Session::count);

impl Document for Session {
    const LISTS: &'static [&'static str] = &["messages"];

    fn field(&mut self, name: &str, raw: &str, span: Span) {
        let row = Obj::parse(raw).filter(|_| name == HEAD);
        self.log.session(row.as_ref().and_then(|row| row.filled("id")));
        let key = self.log.facts().key.clone();
        let Some(at) = self.log.line_at(Some(format!("{key}~{name}")), None, raw, span) else { return };
        match (name, &row) {
            ("project", _) => {
                let cwd = crate::parts::obj::string(raw).map(std::borrow::Cow::into_owned);
                self.log.comes_from(Origin { cwd: cwd.filter(|cwd| !cwd.is_empty()), ..Origin::default() });
            }
            ("cost_of_sub_agents", _) => self.cost_of_sub_agents = raw.trim().parse().unwrap_or(0.0),
            (_, Some(row)) => self.head(&key, row),
            _ => {}
        }
        let words = match &row {
            Some(row) => fields_in_short("Session", &row.without(&["id"])),
            None => cut(&format!("{name}: {}", raw.trim()), 200),
        };
        self.log.say(&at, at.aside(&at.id, "session_meta", words));
    }

    fn entry(&mut self, _: &str, index: usize, raw: &str, span: Span) {
        self.log.session(None);
        let row = Obj::parse(raw);
        let key = self.log.facts().key.clone();
        let own = row.as_ref().and_then(|row| row.filled("id")).unwrap_or_else(|| format!("{key}~{index}"));
        let stamp = row.as_ref().and_then(|row| row.int("created_at")).map(|time| milliseconds(time).to_string());
        let Some(mut at) = self.log.line_at(Some(own), stamp.as_deref(), raw, span) else { return };
        match row {
            Some(row) => self.message(&mut at, &row),
            None => self.log.say(&at, at.aside(&at.id, "unknown", cut(raw, 200))),
        }
    }
}
