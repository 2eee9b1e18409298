//! Facts that a reader, or Verbatim itself, recorded beside a text: extras of the metadata, by name. Unknown extras are
//! ignored, and so is the metadata of all other writers.

use crate::message::Card;
use model::policy::Look;
use model::{Draft, Provenance, Role, RunOutcome, Usage};
use serde_json::{Map, Value};

/// The one hint that decides the shape of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Hint {
    None,
    /// A slash command with its arguments.
    Command {
        name: String,
        args: String,
    },
    /// Output of a command or a shell; both are empty if the text itself has it.
    Output {
        stdout: String,
        stderr: String,
    },
    /// A shell command that the person typed.
    Shell(String),
    Interrupted,
    /// Older context was replaced by a summary.
    Compacted {
        before: Option<i64>,
        after: Option<i64>,
    },
    /// A background task reports.
    Task {
        status: Option<String>,
        /// The command, if known.
        command: Option<String>,
    },
    /// The end of a run.
    RunEnd(RunEnd),
    /// The text broke off.
    Aborted,
    /// Reasoning of which only a cipher was kept.
    Redacted,
}

impl Hint {
    pub fn of(card: &Card) -> Self {
        let draft = card.draft();
        if card.policy.look == Look::Footer {
            return Self::RunEnd(RunEnd::of(draft.facts()));
        }
        let Some(extras) = draft.facts() else { return Self::of_sender(draft) };
        let object = |key: &str| extras.get(key).and_then(Value::as_object);
        if let Some(command) = object("command") {
            let text = |key: &str| command.get(key).and_then(Value::as_str).map(|text| text.trim().to_owned());
            return match (text("shell"), text("name")) {
                (Some(shell), _) => Self::Shell(shell),
                (None, Some(name)) if !name.is_empty() => {
                    Self::Command { name, args: text("args").unwrap_or_default() }
                }
                _ => Self::None,
            };
        }
        if let Some(output) = object("command_output") {
            let text = |key: &str| output.get(key).and_then(Value::as_str).unwrap_or_default().trim_end().to_owned();
            return Self::Output { stdout: text("stdout"), stderr: text("stderr") };
        }
        if let Some(compaction) = object("compact").filter(|_| draft.sender != "microcompact_boundary") {
            let number = |keys: [&str; 2]| keys.iter().find_map(|key| compaction.get(*key)?.as_i64());
            return Self::Compacted {
                before: number(["preTokens", "pre_tokens"]),
                after: number(["postTokens", "post_tokens"]),
            };
        }
        if let Some(task) = object("task_notification").or_else(|| object("task")) {
            let said = |key: &str| task.get(key).and_then(Value::as_str).map(str::to_owned);
            return Self::Task { status: said("status"), command: said("command") };
        }
        let has = |key: &str| extras.get(key).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)));
        if has("interrupted") && is_marker(&draft.content) {
            Self::Interrupted
        } else if has("aborted") {
            Self::Aborted
        } else if has("redacted") {
            Self::Redacted
        } else {
            Self::of_sender(draft)
        }
    }

    fn of_sender(draft: &Draft) -> Self {
        match draft.sender.as_str() {
            _ if draft.role != Role::System || draft.provenance == Provenance::Key => Self::None,
            "compact_boundary" | "compact_summary" => Self::Compacted { before: None, after: None },
            "task_notification" => Self::Task { status: None, command: None },
            _ => Self::None,
        }
    }
}

/// Is it a marker in brackets, as the agent writes one, and nothing else? Words beside it stay.
fn is_marker(content: &str) -> bool {
    let content = content.trim();
    content.starts_with('[') && content.find(']') == Some(content.len() - 1)
}

/// Figures of a run, as far as they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct RunEnd {
    pub duration_ms: Option<i64>,
    pub usage: Option<Usage>,
    pub cost_usd: Option<f64>,
    pub turns: Option<i64>,
    /// True if the length of the output is unknown, because it is cut in the transcript.
    pub output_unknown: bool,
    /// It ended with an error, without an answer.
    pub failed: bool,
}

impl RunEnd {
    fn of(extras: Option<&Map<String, Value>>) -> Self {
        let Some(extras) = extras else { return Self::default() };
        let usage = extras.get("tokens").cloned().and_then(|tokens| serde_json::from_value(tokens).ok());
        Self {
            duration_ms: extras.get("duration_ms").and_then(Value::as_i64),
            usage,
            cost_usd: extras.get("cost_usd").and_then(Value::as_f64),
            output_unknown: extras.get("output_unknown").and_then(Value::as_bool).unwrap_or(false),
            failed: extras.get("outcome").and_then(Value::as_str) == Some(RunOutcome::Failed.as_str()),
            turns: extras.get("turns").or_else(|| extras.get("num_turns")).and_then(Value::as_i64),
        }
    }
}
