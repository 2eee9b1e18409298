//! Contexts that are rebuilt from small transcripts of our own: what was sent, in which order, and what is said about it.

mod cache;
mod claude;
mod codex;
mod compaction;
mod digests;
mod gemini;
mod opencode;
mod queue;
mod qwen;

use agents::context::Transcript;
use model::model_context::{ContextBlock, ContextMessage, ModelContext};
use model::{RecordRef, SourceId};
use serde_json::Value;

/// The lines of a file, as an agent writes them.
pub struct File {
    agent: &'static str,
    lines: Vec<String>,
}

impl File {
    pub fn of(agent: &'static str, lines: impl IntoIterator<Item = Value>) -> Self {
        Self { agent, lines: lines.into_iter().map(|line| line.to_string()).collect() }
    }

    pub fn with_line(mut self, at: usize, line: &str) -> Self {
        self.lines.insert(at, line.to_owned());
        self
    }

    pub fn transcript(&self) -> Transcript {
        let mut transcript = Transcript::of(self.agent).expect("an agent whose requests are rebuilt");
        transcript.push(&source(), 0, self.lines.join("\n").as_bytes());
        transcript.finish();
        transcript
    }

    pub fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// The transcript of this file and another one behind it.
    pub fn and(&self, other: &Self) -> Transcript {
        let mut transcript = self.transcript();
        let source = SourceId::parse("other").expect("an id");
        transcript.push(&source, 0, other.lines.join("\n").as_bytes());
        transcript.finish();
        transcript
    }

    /// The context of the last reply.
    pub fn last(&self) -> ModelContext {
        self.transcript().context(None, None).expect("a reply")
    }

    /// The context at a line.
    pub fn at(&self, line: usize) -> ModelContext {
        let offset = self.lines[..line].iter().map(|line| line.len() as u64 + 1).sum();
        let at = RecordRef { source: source(), offset, len: self.lines[line].len() as u64 };
        self.transcript().context(Some(&at), None).expect("a request")
    }
}

fn source() -> SourceId {
    SourceId::parse("file").expect("an id")
}

/// The messages, one a line: `user: text Hello | tool_result c1 done`.
pub fn shape(context: &ModelContext) -> Vec<String> {
    let message = |message: &ContextMessage| {
        let blocks: Vec<String> = message.blocks.iter().map(block).collect();
        format!("{}: {}", message.role, blocks.join(" | "))
    };
    context.messages.iter().map(message).collect()
}

pub fn block(block: &ContextBlock) -> String {
    let id = block.call_id.as_ref().map(|id| format!(" {id}")).unwrap_or_default();
    let mark = if block.inexact { "?" } else { "" };
    format!("{}{mark}{id} {}", block.kind, block.preview)
}

/// The verdict and its reasons.
pub fn verdict(context: &ModelContext) -> Vec<String> {
    [context.verdict.to_string()].into_iter().chain(context.reasons.iter().cloned()).collect()
}
