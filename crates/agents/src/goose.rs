//! Goose: a session of its database, as the document that `store::session_rows` makes of it: `{goose_session, messages}`; an export,
//! `{id, working_dir, conversation}`; and the lines of versions before 1.10, of which the first holds what is known of the session.
//!
//! Ids of messages: `<session>~<index>` of a message, with `~<n>` of one of several parts; `<call id>` of a tool call, with the
//! message's id before it where the provider's own is short; `<session>~<field>` of what is known of the session.
//!
//! The database counts sessions by day: the time when one was created stands behind its id, so that it isn't taken for another
//! machine's.

use crate::Span;
use crate::parts::at::At;
use crate::parts::blocks::{cut, result_text};
use crate::parts::call_ids::CallIds;
use crate::parts::calls::input;
use crate::parts::document::Document;
use crate::parts::lines::Records;
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::{Obj, list, object, string};
use crate::parts::result::Result;
use crate::parts::session::TitleRank;
use crate::parts::short::fields_in_short;
use crate::parts::{proposal, todos};
use model::{Origin, Role, Spent, Usage};
use serde_json::{Value, json};

/// The field with the session's row.
pub(crate) const HEAD: &str = "goose_session";
/// Extensions that come with Goose: their tools are called by their own names.
const OWN: [&str; 3] = ["developer__", "todo__", "platform__"];

/// Reads one session.
pub(crate) struct Session {
    log: Log,
    calls: CallIds,
    /// Messages so far.
    count: usize,
    /// Fields of an export before its conversation.
    early: Vec<(String, String, Span)>,
    spent: Spent,
}

impl Session {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "goose";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 1;

    pub fn new(path: &str) -> Self {
        let (calls, early, spent) = (CallIds::default(), Vec::new(), Spent::default());
        Self { log: Log::new(stem(path)), calls, count: 0, early, spent }
    }

    /// Reads the facts of the session: from a row, the first line, or the fields of an export.
    fn head(&mut self, row: &Obj) {
        let created = row.filled("created_at").unwrap_or_default();
        let key = row.filled("id").map(|id| if is_counted(&id) { format!("{id}-{}", digits(&created)) } else { id });
        self.log.session(key);
        let config = row.obj("model_config_json").or_else(|| row.obj("model_config"));
        let model = config.and_then(|config| config.filled("model_name"));
        self.log.comes_from(Origin { cwd: row.filled("working_dir"), model, ..Origin::default() });
        let facts = self.log.facts();
        let is_own_name = row.is_true("user_set_name") || row.int("user_set_name") == Some(1);
        let title = row.filled("name").or_else(|| row.filled("description")).unwrap_or_default();
        facts.title(if is_own_name { TitleRank::Name } else { TitleRank::Agent }, &title);
        for time in ["updated_at", "created_at"].iter().filter_map(|key| moment(&row.filled(key)?)) {
            facts.seen_at(time);
        }
        let count = |key: &str| row.int(key).unwrap_or(0).clamp(0, 1 << 40);
        let (input, output) = (count("accumulated_input_tokens"), count("accumulated_output_tokens"));
        self.spent.usage = Usage { input, output, ..Usage::default() };
        self.spent.cost_usd = row.float("accumulated_cost").filter(|cost| *cost > 0.0);
    }

    fn message(&mut self, message: &Obj, raw: &str, span: Span) {
        self.log.session(None);
        let own = format!("{}~{}", self.log.facts().key, self.count);
        self.count += 1;
        let seconds = message.int("created_timestamp").or_else(|| message.int("created"));
        let stamp = seconds.map(|seconds| seconds.saturating_mul(1000).to_string());
        let Some(mut at) = self.log.line_at(Some(own), stamp.as_deref(), raw, span) else { return };
        let at = &mut at;
        let is_agent = message.str("role").as_deref() == Some("assistant");
        if is_agent {
            self.log.alive(at);
        }
        let metadata = message.obj("metadata_json").or_else(|| message.obj("metadata"));
        let is_hidden = metadata.is_some_and(|of| of.raw("userVisible") == Some("false"));
        let content = message.list("content_json").or_else(|| message.list("content")).unwrap_or_default();
        let mut goes_on = false;
        for (n, raw) in content.iter().enumerate() {
            let id = at.block_id(n, content.len());
            let Some(part) = Obj::parse(raw) else {
                self.log.say(at, at.aside(&id, "unknown", cut(raw, 200)));
                continue;
            };
            let kind = part.filled("type").unwrap_or_default();
            goes_on |= matches!(kind.as_str(), "toolRequest" | "frontendToolRequest");
            self.part(at, &id, &kind, &part, (is_agent, is_hidden));
        }
        if is_agent && !goes_on {
            self.log.pause(at);
        }
        self.log.say_empty(at);
    }

    fn part(&mut self, at: &mut At, id: &str, kind: &str, part: &Obj, (is_agent, is_hidden): (bool, bool)) {
        let text = part.string("text").unwrap_or_default();
        match kind {
            // A summary of the earlier conversation, for the model alone.
            "text" if is_hidden => self.log.compacted(&At { id: id.to_owned(), ..at.clone() }, Some(text), None),
            "text" if is_agent => self.log.answer(at, id, &text),
            "text" => self.log.prompt(at, id, &text),
            "thinking" => self.log.thought(at, id, &part.string("thinking").unwrap_or_default()),
            "redactedThinking" => self.log.thought(at, id, ""),
            "toolRequest" | "frontendToolRequest" => self.call(at, id, part),
            "toolResponse" => self.result(&At { id: id.to_owned(), ..at.clone() }, part),
            "image" => {
                let mime = part.filled("mimeType").unwrap_or_default();
                let source = json!({ "type": "base64", "media_type": mime, "data": part.filled("data") });
                let block = json!({ "type": "image", "source": source }).to_string();
                let role = if is_agent { Role::Assistant } else { Role::User };
                match Obj::parse(&block) {
                    Some(block) => self.log.file(at, id, role, &block),
                    None => self.log.aside(at, kind, part),
                }
            }
            _ => {
                let words = part.filled("msg").unwrap_or_else(|| fields_in_short(kind, &part.without(&["type"])));
                self.log.say(at, at.aside(id, if kind.is_empty() { "unknown" } else { kind }, words));
            }
        }
    }

    fn call(&mut self, at: &At, id: &str, part: &Obj) {
        let own = part.filled("id").unwrap_or_else(|| id.to_owned());
        let call_id = self.calls.begin(&at.id, &own);
        let called = part.obj("toolCall");
        let value = called.as_ref().and_then(|call| call.obj("value"));
        let name = value.as_ref().and_then(|call| call.filled("name")).unwrap_or_else(|| "unknown".to_owned());
        let tool = OWN.iter().find_map(|own| name.strip_prefix(own)).unwrap_or(&name);
        let given = value.as_ref().and_then(|call| call.raw("arguments")).map(input).unwrap_or_default();
        // Its list is a text with an item in each line.
        let items = given.get("content").filter(|_| tool == "todo_write").cloned();
        self.log.call(at, &call_id, tool, given);
        if let Some(Value::String(items)) = items {
            let given = serde_json::Map::from_iter([("todos".to_owned(), items.into())]);
            let entries = proposal::todos(tool, &given, &[]).unwrap_or_default();
            if let Some(list) = todos::of_list(&entries) {
                self.log.calls.list(&mut self.log.book, at, &call_id, list);
            }
        }
        // A call that the model wrote wrongly has no result.
        if let Some(error) = called.and_then(|call| call.filled("error")) {
            let result = Result { state: "failed", text: error, ..Result::default() };
            self.log.result(at, Some(&call_id), "\"\"", result);
        }
    }

    fn result(&mut self, at: &At, part: &Obj) {
        let given = part.obj("toolResult");
        let own = part.filled("id").unwrap_or_default();
        let call_id = self.calls.of(&own);
        let error = given.as_ref().and_then(|given| given.filled("error"));
        let value = given.as_ref().and_then(|given| given.obj("value"));
        // Until 1.12 it was the list of contents itself.
        let content = value.as_ref().and_then(|value| value.raw("content"));
        let content = content.or_else(|| given.as_ref()?.raw("value")).unwrap_or("\"\"");
        let failed = error.is_some() || value.is_some_and(|value| value.is_true("isError"));
        let text = error.unwrap_or_else(|| result_text(&seen(content)));
        let is_denied = failed && text.contains("declined to run this tool");
        let state = if is_denied {
            "denied"
        } else if failed {
            "failed"
        } else {
            "done"
        };
        self.log.result(at, Some(&call_id), content, Result { state, text, ..Result::default() });
    }

    /// The fields of an export are known once its conversation begins.
    fn begin(&mut self) {
        let early = std::mem::take(&mut self.early);
        if early.is_empty() {
            return;
        }
        let text = object(early.iter().map(|(name, raw, _)| (name.as_str(), raw.as_str())));
        if let Some(row) = Obj::parse(&text) {
            self.head(&row);
        }
        for (name, raw, span) in &early {
            self.known(name, raw, *span);
        }
    }

    /// A field that says something of the session.
    fn known(&mut self, name: &str, raw: &str, span: Span) {
        self.log.session(None);
        let id = format!("{}~{name}", self.log.facts().key);
        let Some(at) = self.log.line_at(Some(id), None, raw, span) else { return };
        let words = match Obj::parse(raw).filter(|_| name == HEAD) {
            Some(row) => fields_in_short("Session", &row.without(&["id"])),
            None => cut(&format!("{name}: {}", raw.trim()), 200),
        };
        self.log.say(&at, at.aside(&at.id, "session_meta", words));
    }

    /// Goose sums up the tokens of all requests.
    fn finish(&mut self) {
        self.begin();
        if self.spent.usage.total() > 0 || self.spent.cost_usd.is_some() {
            let id = format!("{}~spent", self.log.facts().key);
            self.log.spent(Spent { id, ..self.spent.clone() });
        }
    }
}

/// The contents of a result that are for the model, or for both: those for a person alone say the same.
fn seen(content: &str) -> String {
    let is_for_model = |raw: &&str| {
        let audience = Obj::parse(raw).and_then(|block| {
            block
                .obj("annotations")?
                .list("audience")
                .map(|list| list.iter().any(|to| string(to).as_deref() == Some("assistant")))
        });
        audience != Some(false)
    };
    match list(content) {
        Some(blocks) => format!("[{}]", blocks.into_iter().filter(is_for_model).collect::<Vec<_>>().join(",")),
        None => content.to_owned(),
    }
}

/// Returns true if the id counts the sessions of a day: `20251001_3`.
fn is_counted(id: &str) -> bool {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    id.split_once('_').is_some_and(|(day, n)| day.len() == 8 && is_number(day) && n.len() < 6 && is_number(n))
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).take(14).collect()
}

/// A time like `2025-10-01 12:00:00`, which is in UTC, or one that says its zone.
fn moment(text: &str) -> Option<model::Micros> {
    crate::parts::at::micros(text).or_else(|| crate::parts::at::micros(&format!("{}Z", text.replace(' ', "T"))))
}

contents_of_log!(Session, Session::finish);

impl Document for Session {
    const LISTS: &'static [&'static str] = &["messages", "conversation"];

    fn field(&mut self, name: &str, raw: &str, span: Span) {
        match Obj::parse(raw).filter(|_| name == HEAD) {
            Some(row) => {
                self.head(&row);
                self.known(name, raw, span);
            }
            None => self.early.push((name.to_owned(), raw.to_owned(), span)),
        }
    }

    fn entry(&mut self, _: &str, _: usize, raw: &str, span: Span) {
        self.begin();
        match Obj::parse(raw) {
            Some(message) => self.message(&message, raw, span),
            None => self.known(&format!("entry~{}", span.offset), raw, span),
        }
    }
}

impl Records for Session {
    fn record(&mut self, text: &str, record: &Obj, span: Span) {
        if record.has("role") {
            return self.message(record, text, span);
        }
        self.head(record);
        self.known("session", text, span);
    }
}
