//! Grok CLI: `~/.grok/sessions/<working directory>/<session>/chat_history.jsonl`, one JSON object a line: what the model was given
//! and answered, without times.
//!
//! Ids of messages: `<id>` of reasoning; `<call id>` of a tool call; `<session>~<offset>` else.

use crate::Span;
use crate::parts::at::At;
use crate::parts::blocks::result_text;
use crate::parts::calls::input;
use crate::parts::lines::Records;
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::Obj;
use crate::parts::result::Result;
use model::{Origin, Role};

/// Reads one session.
pub(crate) struct Chat {
    log: Log,
    /// The working directory, which a folder is named after.
    cwd: Option<String>,
}

impl Chat {
    /// The agent of its sessions, and the reader of its sources.
    pub const NAME: &'static str = "grok";
    /// Grows when the same bytes would be read as other messages.
    pub const VERSION: i32 = 2;

    pub fn new(path: &str) -> Self {
        let mut parts = path.rsplit(['/', '\\']);
        let (name, folder, above) = (parts.next(), parts.next(), parts.next());
        let named = folder.filter(|folder| name == Some("chat_history.jsonl") && !folder.is_empty());
        let cwd = above.filter(|_| named.is_some()).and_then(decoded).filter(|cwd| cwd.contains(['/', '\\']));
        Self { log: Log::new(named.unwrap_or_else(|| stem(path))), cwd }
    }

    fn asked(&mut self, at: &mut At, record: &Obj) {
        let raw = record.raw("content").unwrap_or("\"\"");
        if record.has("synthetic_reason") {
            let text = result_text(raw);
            return self.log.told(at, &at.id, "context", text);
        }
        self.log.blocks(at, Role::User, raw, done);
        self.log.say_empty(at);
    }

    fn answered(&mut self, at: &mut At, record: &Obj) {
        self.log.comes_from(Origin { model: record.filled("model_id"), ..Origin::default() });
        self.log.alive(at);
        if let Some(text) = record.filled("content") {
            let id = at.id.clone();
            self.log.answer(at, &id, &text);
        }
        for (n, raw) in record.list("tool_calls").unwrap_or_default().into_iter().enumerate() {
            let Some(call) = Obj::parse(raw) else { continue };
            let id = call.filled("id").unwrap_or_else(|| format!("{}~{n}", at.id));
            let tool = call.filled("name").unwrap_or_else(|| "unknown".to_owned());
            self.log.call(at, &id, &tool, call.raw("arguments").map(input).unwrap_or_default());
        }
        self.log.say_empty(at);
        self.log.pause(at);
    }

    /// A call that the service itself made: its result isn't recorded.
    fn called(&mut self, at: &mut At, record: &Obj) {
        let Some(call) = record.obj("kind") else { return self.log.aside(at, "backend_tool_call", record) };
        self.log.alive(at);
        let id = call.filled("id").unwrap_or_else(|| at.id.clone());
        let tool = call.filled("tool_type").unwrap_or_else(|| "unknown".to_owned());
        self.log.call(at, &id, &tool, call.raw("action").map(input).unwrap_or_default());
        let state = if call.str("status").as_deref() == Some("failed") { "failed" } else { "done" };
        self.log.result(at, Some(&id), "\"\"", Result { state, ..Result::default() });
    }
}

/// How a call went, which only its text says.
fn done(_: &Obj, text: String) -> Result {
    let state = if text.starts_with("Error") { "failed" } else { "done" };
    Result { state, text, ..Result::default() }
}

/// A text without percent escapes; None where they are wrong.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        if byte == b'%' {
            let hex = std::str::from_utf8(behind.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(hex, 16).ok()?);
            rest = &behind[2..];
        } else {
            bytes.push(byte);
            rest = behind;
        }
    }
    String::from_utf8(bytes).ok()
}

contents_of_log!(Chat);

impl Records for Chat {
    fn record(&mut self, text: &str, record: &Obj, span: Span) {
        self.log.session(None);
        if let Some(cwd) = self.cwd.take() {
            self.log.comes_from(Origin { cwd: Some(cwd), ..Origin::default() });
        }
        let kind = record.filled("type").unwrap_or_default();
        let own = record.filled("id").filter(|_| kind == "reasoning");
        let Some(mut at) = self.log.line(own, record, text, span) else { return };
        match kind.as_str() {
            "system" => {
                let text = result_text(record.raw("content").unwrap_or("\"\""));
                self.log.told(&at, &at.id, "instructions", text);
            }
            "user" => self.asked(&mut at, record),
            "assistant" => self.answered(&mut at, record),
            "reasoning" => {
                self.log.alive(&mut at);
                let thought = result_text(record.raw("summary").unwrap_or("\"\""));
                self.log.thought(&at, &at.id, &thought);
            }
            "tool_result" => {
                let raw = record.raw("content").unwrap_or("\"\"");
                let outcome = done(record, result_text(raw));
                self.log.result(&at, record.filled("tool_call_id").as_deref(), raw, outcome);
            }
            "backend_tool_call" => self.called(&mut at, record),
            _ => self.log.aside(&at, &kind, record),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn folders_are_named_after_a_path() {
        assert_eq!(decoded("%2Fhome%2Fada%2Fgr%C3%BCn").as_deref(), Some("/home/ada/grün"));
        assert_eq!(decoded("100%"), None);
        assert_eq!(decoded("%2x"), None);
    }
}
