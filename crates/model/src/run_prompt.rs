//! Renders the input of a run as the exact text for the agent. All drivers use this renderer.
//!
//! A rendered input is a list of pieces. The joined pieces of a part are its bytes, and each piece refers to its
//! message. The context log stores the pieces, so that it can be replayed byte for byte.
//!
//! ```
//! use model::run_prompt::{NoticePlacement, RunFormat, render};
//! use model::sdk_format::RunInput;
//!
//! let input = RunInput { messages: Vec::new(), system_notices: vec!["2 files aren't committed".to_owned()] };
//! let rendered = render(&input, RunFormat::Text, NoticePlacement::SystemPrompt);
//! assert_eq!(rendered.system().as_deref(), Some("2 files aren't committed"));
//! assert_eq!(rendered.prompt(), "");
//! ```
//!
//! To add a format: add a variant to [`RunFormat`], and its arm to [`render`].

use crate::sdk_format::{RunInput, SdkMessage};
use crate::{MessageType, Micros, Role, words};
use serde_json::{Value, json};

words! {
    /// Format of a run's input.
    RunFormat {
        /// A JSON array of messages with all fields.
        Messages = "messages",
        /// A JSON array for `messages` of Anthropic's Messages API.
        Anthropic = "anthropic",
        /// A JSON array for `messages` of `OpenAI`'s Chat Completions API.
        Openai = "openai",
        /// Text: the text of a single message of a person, or several messages as XML.
        Text = "text",
    }
    /// Place of a run's notices.
    NoticePlacement {
        /// The agent's system prompt parameter.
        SystemPrompt = "system_prompt",
        /// A marked block at the start of the prompt, for agents without such a parameter.
        Prompt = "prompt",
    }
    /// Part of a run's input.
    PromptPart {
        /// The system prompt parameter.
        System = "system",
        /// The prompt.
        Prompt = "prompt",
    }
    /// Kind of a piece.
    PieceKind {
        /// Text around the others: brackets, commas, tags.
        Frame = "frame",
        /// A notice of this run.
        Notice = "notice",
        /// A message.
        Message = "message",
    }
}

/// A piece of a rendered input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Part that it belongs to.
    pub part: PromptPart,
    /// Kind of the piece.
    pub kind: PieceKind,
    /// `seq` of its message; None for notices and frames.
    pub seq: Option<i64>,
    /// Its exact text.
    pub text: String,
}

/// A rendered input: all pieces in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Pieces, those of the system part first.
    pub pieces: Vec<Piece>,
}

impl Rendered {
    /// Returns the text of the system prompt parameter. None if there are no notices, or they are in the prompt.
    pub fn system(&self) -> Option<String> {
        let mut pieces = self.of(PromptPart::System).peekable();
        pieces.peek()?;
        Some(pieces.map(|piece| piece.text.as_str()).collect())
    }

    /// Returns the text of the prompt.
    pub fn prompt(&self) -> String {
        self.of(PromptPart::Prompt).map(|piece| piece.text.as_str()).collect()
    }

    fn of(&self, part: PromptPart) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().filter(move |piece| piece.part == part)
    }

    fn push(&mut self, part: PromptPart, kind: PieceKind, seq: Option<i64>, text: impl Into<String>) {
        self.pieces.push(Piece { part, kind, seq, text: text.into() });
    }

    fn frame(&mut self, text: impl Into<String>) {
        self.push(PromptPart::Prompt, PieceKind::Frame, None, text);
    }

    fn message(&mut self, message: &SdkMessage, text: impl Into<String>) {
        self.push(PromptPart::Prompt, PieceKind::Message, Some(message.seq), text);
    }
}

/// Renders the input of a run. Messages of the host are always dropped.
pub fn render(input: &RunInput, format: RunFormat, placement: NoticePlacement) -> Rendered {
    let mut rendered = Rendered::default();
    let messages: Vec<&SdkMessage> = input.messages.iter().filter(|message| message.role != Role::Host).collect();
    let in_prompt: &[String] = match placement {
        NoticePlacement::SystemPrompt => {
            for (index, notice) in input.system_notices.iter().enumerate() {
                if index > 0 {
                    rendered.push(PromptPart::System, PieceKind::Frame, None, "\n\n");
                }
                rendered.push(PromptPart::System, PieceKind::Notice, None, notice);
            }
            &[]
        }
        NoticePlacement::Prompt => &input.system_notices,
    };
    match format {
        RunFormat::Messages => {
            array(&mut rendered, in_prompt, messages.iter().map(|message| (*message, json!(message))));
        }
        RunFormat::Anthropic => anthropic(&mut rendered, in_prompt, &messages),
        RunFormat::Openai => {
            let said = messages.iter().filter(|message| !message.content.trim().is_empty());
            let messages = said.map(|message| {
                let (role, content) = openai(message);
                (*message, json!({"role": role, "content": content}))
            });
            array(&mut rendered, in_prompt, messages);
        }
        RunFormat::Text => text(&mut rendered, in_prompt, &messages),
    }
    rendered
}

/// Writes notices and messages as a JSON array, with one piece per item.
fn array<'a>(rendered: &mut Rendered, notices: &[String], messages: impl Iterator<Item = (&'a SdkMessage, Value)>) {
    let mut before = "[";
    for notice in notices {
        rendered.frame(before);
        let notice = json!({"role": "system", "content": notice});
        rendered.push(PromptPart::Prompt, PieceKind::Notice, None, notice.to_string());
        before = ",";
    }
    for (message, value) in messages {
        rendered.frame(before);
        rendered.message(message, value.to_string());
        before = ",";
    }
    rendered.frame(if before == "[" { "[]" } else { "]" });
}

/// Writes messages for an API with two alternating roles: consecutive messages of one role become blocks of one
/// message.
fn anthropic(rendered: &mut Rendered, notices: &[String], messages: &[&SdkMessage]) {
    let block = |text: &str| json!({"type": "text", "text": text}).to_string();
    let notices = notices.iter().map(|notice| ("user", None, block(&tagged("system", notice))));
    // The API refuses a block without text.
    let said = messages.iter().filter(|message| !message.content.trim().is_empty());
    let messages = said.map(|message| {
        let role = if is_answer(message) { "assistant" } else { "user" };
        (role, Some(*message), block(&spoken(message)))
    });
    let mut open: Option<&str> = None;
    for (role, message, block) in notices.chain(messages) {
        let begin = |before: &str| format!("{before}{{\"role\":\"{role}\",\"content\":[");
        rendered.frame(match open {
            Some(of) if of == role => ",".to_owned(),
            Some(_) => begin("]},"),
            None => begin("["),
        });
        match message {
            Some(message) => rendered.message(message, block),
            None => rendered.push(PromptPart::Prompt, PieceKind::Notice, None, block),
        }
        open = Some(role);
    }
    rendered.frame(if open.is_some() { "]}]" } else { "[]" });
}

fn openai(message: &SdkMessage) -> (&'static str, String) {
    match message.role {
        Role::System => ("system", message.content.clone()),
        _ if is_answer(message) => ("assistant", message.content.clone()),
        _ => ("user", spoken(message)),
    }
}

fn is_answer(message: &SdkMessage) -> bool {
    matches!(message.role, Role::Assistant | Role::Model)
}

/// Returns the text of a message for an API without a field for the author: a named person as `[Name] text`, the system
/// and tools in tags. Text of a person or tool that imitates this format is escaped by a backslash.
pub fn spoken(message: &SdkMessage) -> String {
    match (message.role, &message.sender_name) {
        (Role::System, _) => tagged("system", &message.content),
        (Role::Tool, _) => tagged("tool_output", &message.content),
        (Role::User, Some(name)) => format!("[{}] {}", one_name(name), unspoken(&message.content)),
        _ => message.content.clone(),
    }
}

fn tagged(tag: &str, text: &str) -> String {
    let text = text.replace(&format!("</{tag}"), &format!("<\\/{tag}"));
    format!("<{tag}>\n{text}\n</{tag}>")
}

/// Returns a name that is safe inside of brackets.
fn one_name(name: &str) -> String {
    name.replace(['[', ']'], "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Escapes lines of a person's text that imitate another author.
fn unspoken(text: &str) -> String {
    let begins_as_another = |line: &str| {
        let line = line.trim_start();
        let is_named = line.strip_prefix('[').is_some_and(|rest| rest.contains("] "));
        is_named || ["<system", "</system", "<tool_output", "</tool_output"].iter().any(|tag| line.starts_with(tag))
    };
    let lines = text.split('\n').map(|line| {
        let at = line.len() - line.trim_start().len();
        if begins_as_another(line) { format!("{}\\{}", &line[..at], &line[at..]) } else { line.to_owned() }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn text(rendered: &mut Rendered, notices: &[String], messages: &[&SdkMessage]) {
    if !notices.is_empty() {
        rendered.frame("<system_notices>\n");
        for notice in notices {
            rendered.push(PromptPart::Prompt, PieceKind::Notice, None, format!("- {}\n", escaped(notice)));
        }
        rendered.frame(if messages.is_empty() { "</system_notices>" } else { "</system_notices>\n\n" });
    }
    match messages {
        [] => {}
        // As a person would type it into the agent's own terminal.
        [only] if is_plain(only) => {
            rendered.message(only, only.content.as_str());
        }
        _ => {
            rendered.frame("<messages>\n");
            for message in messages {
                rendered.message(message, element(message));
            }
            rendered.frame("</messages>");
        }
    }
}

/// Returns true if [`RunFormat::Text`] writes a single message as its plain text.
pub fn is_plain(message: &SdkMessage) -> bool {
    message.role == Role::User && message.message_type == MessageType::Text && message.sender_name.is_none()
}

fn element(message: &SdkMessage) -> String {
    let sender = message.sender_name.as_deref().unwrap_or(&message.sender);
    format!(
        "<message role=\"{}\" sender=\"{}\" time=\"{}\">{}</message>\n",
        message.role,
        escaped(sender),
        moment(message.created_at),
        escaped(&message.content)
    )
}

/// Escapes text, so that it can't end its XML element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Formats a time in UTC, to the second.
fn moment(at: Micros) -> String {
    let second = at.0.div_euclid(Micros::SECOND);
    jiff::Timestamp::from_second(second).map(|at| at.to_string()).unwrap_or_default()
}
