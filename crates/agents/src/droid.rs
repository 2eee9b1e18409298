//! Factory Droid: the sessions that it stores, `~/.factory/sessions/<folder>/<session>.jsonl`, and what
//! `droid exec --output-format stream-json` prints. Both are JSON objects, one a line.
//!
//! A stored session has a file `<session>.settings.json` beside it: the model, and the tokens of the whole session, which change with
//! each answer. They are counted once the file is read to its end.
//!
//! Ids of messages: a line's own one, with `~<n>` of one of several blocks; `<call id>` of a tool call.

use crate::Span;
use crate::parts::at::At;
use crate::parts::blocks::result_text;
use crate::parts::calls::input;
use crate::parts::lines::Records;
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::Obj;
use crate::parts::result::Result;
use crate::parts::runs::usage;
use crate::parts::session::TitleRank;
use model::{Origin, Role, RunOutcome, Spent, Usage};

/// Reads one session.
pub(crate) struct Droid {
    log: Log,
    /// The agent's last text, which the end of a stream repeats.
    last: Option<String>,
    /// The model in the settings file beside it, until a line was read.
    model: Option<String>,
    /// The tokens of the session, from the same file.
    sum: Option<Usage>,
}

impl Droid {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "droid";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 4;

    /// Makes a reader of the file at `path`. `settings` is the file beside it, if there is one.
    pub fn new(path: &str, settings: Option<&[u8]>) -> Self {
        let settings = settings.and_then(|bytes| std::str::from_utf8(bytes).ok()).and_then(Obj::parse);
        let model = settings.as_ref().and_then(|settings| settings.filled("model"));
        let sum = settings.and_then(|settings| Some(sum_of(&settings.obj("tokenUsage")?)));
        Self { log: Log::new(stem(path)), last: None, model, sum }
    }

    /// Counts the session's tokens at the end of the file: they belong to no single request.
    fn count(&mut self) {
        let key = self.log.facts().key.clone();
        if let Some(usage) = self.sum.filter(|sum| *sum != Usage::default()) {
            self.log.spent(Spent { id: format!("{key}~settings"), usage, ..Spent::default() });
        }
    }

    /// Reads the facts of the session. `started` is the line that begins it.
    fn head(&mut self, at: &At, kind: &str, started: &Obj) {
        let (cwd, model, version) = (started.filled("cwd"), started.filled("model"), started.filled("version"));
        self.log.comes_from(Origin { cwd, model, version, ..Origin::default() });
        let session = self.log.facts();
        session.set(|facts| &mut facts.parent, started.filled("callingSessionId"));
        session.set(|facts| &mut facts.call_id, started.filled("callingToolUseId"));
        if let Some(title) = started.filled("sessionTitle").or_else(|| started.filled("title")) {
            session.title(TitleRank::Agent, &title);
        }
        let mut draft = at.aside(&at.id, kind, "Session started");
        draft.origin = self.log.origin.clone();
        self.log.say(at, draft);
    }

    /// A stored message: its content is blocks.
    fn message(&mut self, at: &mut At, message: &Obj) {
        let raw = message.raw("content").unwrap_or("[]");
        let role = self.speaker(at, message);
        self.log.blocks(at, role, raw, outcome);
        if role == Role::Assistant {
            self.log.pause(at);
        }
    }

    /// Who speaks.
    fn speaker(&mut self, at: &mut At, message: &Obj) -> Role {
        match message.str("role").as_deref() {
            Some("assistant") => {
                self.log.alive(at);
                Role::Assistant
            }
            Some("user") => Role::User,
            _ => Role::System,
        }
    }

    /// A message of a stream: a text.
    fn text(&mut self, at: &mut At, message: &Obj) {
        let text = message.string("text").unwrap_or_default();
        let id = at.id.clone();
        match self.speaker(at, message) {
            Role::Assistant => {
                self.log.answer(at, &id, &text);
                self.last = Some(text);
            }
            Role::User => self.log.prompt(at, &id, &text),
            _ => self.log.told(at, &id, "system", text),
        }
    }

    fn call(&mut self, at: &mut At, call: &Obj) {
        self.log.alive(at);
        let call_id = call.filled("toolCallId").or_else(|| call.filled("id")).unwrap_or_else(|| at.id.clone());
        let tool = call.filled("toolName").or_else(|| call.filled("toolId")).unwrap_or_else(|| "unknown".to_owned());
        self.log.call(at, &call_id, &tool, call.raw("parameters").map(input).unwrap_or_default());
    }

    fn result(&mut self, at: &At, result: &Obj) {
        let call_id = result.filled("toolCallId").or_else(|| result.filled("id"));
        let raw = result.raw("value").or_else(|| result.raw("error")).unwrap_or("\"\"");
        let shell = Obj::parse(raw).filter(|value| value.has("stdout") || value.has("exitCode"));
        let text = match &shell {
            Some(shell) => ["stdout", "stderr"].iter().filter_map(|key| shell.string(key)).collect(),
            None => result_text(raw),
        };
        let mut done = outcome(result, text);
        if let Some(code) = shell.and_then(|shell| shell.int("exitCode")) {
            with_code(&mut done, code);
        }
        self.log.result(at, call_id.as_deref(), raw, done);
    }

    /// The end of a stream.
    fn completion(&mut self, at: &mut At, end: &Obj) {
        self.log.alive(at);
        if let Some(usage) = usage(end) {
            self.log.spent(Spent { id: at.id.clone(), usage, ..Spent::default() });
        }
        match end.filled("finalText").filter(|text| self.last.as_ref() != Some(text)) {
            Some(text) => self.log.answer(at, &at.id, &text),
            None => self.log.aside(at, "completion", &end.without(&["finalText"])),
        }
        self.log.facts().runs.end(RunOutcome::Done, Some(at.time));
    }
}

/// How a call went, by the block of its result.
fn outcome(block: &Obj, text: String) -> Result {
    let is_error = block.is_true("is_error") || block.is_true("isError");
    let says = |words: &[&str]| text.len() < 300 && words.iter().any(|word| text.contains(word));
    let state = if !is_error {
        "done"
    } else if says(&["rejected", "denied"]) {
        "denied"
    } else if says(&["cancelled", "interrupted", "aborted"]) {
        "cancelled"
    } else {
        "failed"
    };
    let failed = text.strip_prefix("Error: Command failed (exit code: ").and_then(|rest| rest.split_once(')'));
    let ended = || text.trim_end().strip_suffix(']')?.rsplit_once("[Process exited with code ");
    let code = failed.map(|(code, _)| code).or_else(|| ended().map(|(_, code)| code));
    let code = code.and_then(|code| code.parse::<i64>().ok());
    let mut result = Result { state, text, ..Result::default() };
    if let Some(code) = code {
        with_code(&mut result, code);
    }
    result
}

/// Input is what no cache held; thoughts are part of the output.
fn sum_of(told: &Obj) -> Usage {
    let count = |name: &str| told.int(name).unwrap_or(0).clamp(0, 1 << 40);
    Usage {
        input: count("inputTokens"),
        output: count("outputTokens"),
        cache_read: count("cacheReadTokens"),
        cache_write: count("cacheCreationTokens"),
    }
}

fn with_code(result: &mut Result, code: i64) {
    result.details.push(("exit_code", code.into()));
    if code != 0 && result.state == "done" {
        result.state = "failed";
    }
}

contents_of_log!(Droid, Droid::count);

impl Records for Droid {
    fn record(&mut self, text: &str, record: &Obj, span: Span) {
        let kind = record.filled("type").unwrap_or_default();
        let is_head = kind == "session_start";
        let streamed = ["session_id", "sessionId"].iter().find_map(|key| record.filled(key));
        self.log.session(streamed.or_else(|| record.filled("id").filter(|_| is_head)));
        if let Some(model) = self.model.take() {
            self.log.comes_from(Origin { model: Some(model), ..Origin::default() });
        }
        let own = record.filled("id").map(|id| if is_head { format!("{id}~session") } else { id });
        let Some(mut at) = self.log.line(own, record, text, span) else { return };
        match kind.as_str() {
            "session_start" | "system" => self.head(&at, &kind, record),
            "message" => match record.obj("message") {
                Some(message) => self.message(&mut at, &message),
                None => self.text(&mut at, record),
            },
            "reasoning" => {
                self.log.alive(&mut at);
                self.log.thought(&at, &at.id, &record.string("text").unwrap_or_default());
            }
            "tool_call" => self.call(&mut at, record),
            "tool_result" => self.result(&at, record),
            "completion" => self.completion(&mut at, record),
            "compaction_state" if record.has("summaryText") => {
                self.log.compacted(&at, record.filled("summaryText"), None);
            }
            "error" => {
                let message = record.filled("message").unwrap_or_else(|| "Something failed".to_owned());
                self.log.failed(&at, &at.id, &record.filled("source").unwrap_or_default(), &message);
            }
            _ => self.log.aside(&at, &kind, record),
        }
        self.log.say_empty(&at);
    }
}
