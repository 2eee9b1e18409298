//! Cursor's transcripts before February 2026: plain text, `agent-transcripts/<session>.txt`.
//!
//! A line `user:` or `assistant:` says who speaks. Below `assistant:`, `[Thinking]`, `[Tool call] <tool>` and `[Tool result] <tool>` begin
//! what they name; the arguments of a call follow in lines `  <name>: <value>`. A thought ends at an empty line.
//!
//! Ids of messages: `<session>~<offset>`.

use super::{end_calls, said};
use crate::Span;
use crate::parts::at::At;
use crate::parts::lines::Texts;
use crate::parts::log::{Log, contents_of_log, stem};
use crate::parts::obj::Obj;
use crate::parts::result::Result;
use serde_json::{Map, Value};

/// Reads one transcript.
pub(crate) struct Text {
    log: Log,
    section: Option<Section>,
}

/// The lines of one speaker, or of one action of the agent, until the next section begins.
struct Section {
    part: SectionKind,
    text: String,
    span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SectionKind {
    /// Lines before the first speaker.
    Head,
    Person,
    Answer,
    Thought,
    Call(String),
    Outcome(String),
}

impl Text {
    pub fn new(path: &str) -> Self {
        let mut log = Log::new(stem(path));
        log.are_in_order = true;
        Self { log, section: None }
    }

    /// Returns the kind of the section that a line begins, and the text that the line has of it.
    fn begins<'a>(&self, line: &'a str) -> Option<(SectionKind, &'a str)> {
        let part = self.section.as_ref().map(|section| &section.part);
        let is_open = |section: &Section| {
            section.part == SectionKind::Person
                && section.text.contains("<user_query>")
                && !section.text.contains("</user_query>")
        };
        if self.section.as_ref().is_some_and(is_open) {
            return None;
        }
        match line.trim_end() {
            "user:" => return Some((SectionKind::Person, "")),
            "assistant:" => return Some((SectionKind::Answer, "")),
            _ => {}
        }
        if matches!(part, None | Some(SectionKind::Head | SectionKind::Person)) {
            return None;
        }
        let after = |start: &str| line.strip_prefix(start).map(str::trim);
        after("[Thinking]")
            .map(|text| (SectionKind::Thought, text))
            .or_else(|| after("[Tool call]").map(|tool| (SectionKind::Call(tool.to_owned()), "")))
            .or_else(|| after("[Tool result]").map(|tool| (SectionKind::Outcome(tool.to_owned()), "")))
    }

    /// The section is whole: it becomes a message, or belongs to one.
    fn close(&mut self) {
        let Some(Section { part, text, span }) = self.section.take().filter(|section| section.span.len > 0) else {
            return;
        };
        self.log.session(None);
        let Some(mut at) = self.log.line(None, &Obj::beginning(""), &text, span) else { return };
        let text = text.trim_matches('\n');
        match part {
            SectionKind::Head => self.log.say(&at, at.aside(&at.id, "note", text)),
            SectionKind::Person | SectionKind::Answer if text.trim().is_empty() => self.log.say_empty(&at),
            SectionKind::Person => said(&mut self.log, &mut at, text),
            SectionKind::Answer => {
                end_calls(&mut self.log, &at);
                self.log.alive(&mut at);
                self.log.answer(&at, &at.id, text);
                self.log.pause(&at);
            }
            SectionKind::Thought => {
                self.log.alive(&mut at);
                self.log.thought(&at, &at.id, text.trim());
            }
            SectionKind::Call(tool) => {
                self.log.alive(&mut at);
                self.log.call(&at, &at.id, &tool, arguments(text));
            }
            SectionKind::Outcome(tool) => self.result(&at, &tool, text),
        }
    }

    fn result(&mut self, at: &At, tool: &str, text: &str) {
        let call_id = self.log.calls.oldest_open(Some(tool)).or_else(|| self.log.calls.oldest_open(None));
        let result = Result { state: "done", text: text.to_owned(), ..Result::default() };
        self.log.result(at, call_id.as_deref(), "\"\"", result);
    }
}

/// `  <name>: <value>`, whose value may go on in the lines below.
fn arguments(text: &str) -> Map<String, Value> {
    let mut arguments: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        let field = line.strip_prefix("  ").and_then(|line| line.split_once(':'));
        let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match (field.filter(|(name, _)| is_name(name)), arguments.last_mut()) {
            (Some((name, value)), _) => arguments.push((name, value.strip_prefix(' ').unwrap_or(value).to_owned())),
            (None, Some((_, value))) => {
                value.push('\n');
                value.push_str(line);
            }
            (None, None) => {}
        }
    }
    arguments.into_iter().map(|(name, value)| (name.to_owned(), Value::String(value))).collect()
}

contents_of_log!(Text, Text::close);

impl Texts for Text {
    fn line(&mut self, line: &str, span: Span) {
        if let Some((part, text)) = self.begins(line) {
            self.close();
            self.section = Some(Section { part, text: text.to_owned(), span });
            return;
        }
        let section = self.section.get_or_insert_with(|| Section {
            part: SectionKind::Head,
            text: String::new(),
            span: Span { len: 0, ..span },
        });
        section.span.len = span.end() - section.span.offset;
        if !section.text.is_empty() {
            section.text.push('\n');
        }
        section.text.push_str(line);
        if section.part == SectionKind::Thought && line.trim().is_empty() && !section.text.trim().is_empty() {
            self.close();
            let (part, span) = (SectionKind::Answer, Span { offset: span.end(), len: 0 });
            self.section = Some(Section { part, text: String::new(), span });
        }
    }

    fn held(&self) -> usize {
        self.section.as_ref().map_or(0, |section| section.text.len())
    }

    fn waits(&self) -> bool {
        self.section.is_some()
    }
}
