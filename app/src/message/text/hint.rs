//! What readers say of a text beside its words: extras of the metadata, by name. Unknown ones change nothing.

use model::Draft;
use serde_json::{Map, Value};

/// The one hint that decides the shape of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Hint {
    None,
    /// A slash command with its arguments.
    Command { name: String, args: String },
    /// What a command or a shell said.
    Output { failed: bool },
    /// A shell command that the person typed.
    Shell,
    Interrupted,
    /// Older context was replaced by a summary.
    Compacted { before: Option<i64>, after: Option<i64> },
    /// A background task reports.
    Task { status: Option<String> },
    /// The end of a run: tokens, cost, time.
    RunEnd,
    /// The text broke off.
    Aborted,
    /// Reasoning of which only a cipher was kept.
    Redacted,
}

impl Hint {
    pub fn of(draft: &Draft) -> Self {
        if draft.sender == "result_meta" {
            return Self::RunEnd;
        }
        let Some(extras) = &draft.metadata else { return Self::of_sender(draft) };
        if let Some(command) = object(extras, &["command", "slash_command"]) {
            let text = |key: &str| command.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
            let name = text("name");
            return if name.is_empty() { Self::None } else { Self::Command { name, args: text("args") } };
        }
        if let Some(compaction) = object(extras, &["compaction", "compact", "compact_boundary", "compactMetadata"]) {
            let number = |keys: [&str; 3]| keys.iter().find_map(|key| compaction.get(*key)?.as_i64());
            return Self::Compacted {
                before: number(["pre_tokens", "preTokens", "before"]),
                after: number(["post_tokens", "postTokens", "after"]),
            };
        }
        if let Some(task) = object(extras, &["task_notification", "task"]) {
            return Self::Task { status: task.get("status").and_then(Value::as_str).map(str::to_owned) };
        }
        let has = |key: &str| extras.get(key).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)));
        if has("compact_summary") {
            Self::Compacted { before: None, after: None }
        } else if has("interrupted") || has("interruption") {
            Self::Interrupted
        } else if has("bash_input") || has("shell") {
            Self::Shell
        } else if has("command_output") || has("local_command_output") || has("bash_output") {
            Self::Output { failed: false }
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
            "command_output" | "local_command" | "bash_output" => Self::Output { failed: failed(draft) },
            "bash_input" => Self::Shell,
            "interruption" | "interrupt" => Self::Interrupted,
            "compaction" | "compact_boundary" | "compact_summary" => Self::Compacted { before: None, after: None },
            "task_notification" => Self::Task { status: None },
            _ if draft.content.starts_with("[Request interrupted by user") => Self::Interrupted,
            _ => Self::None,
        }
    }
}

/// Did the tool say that it failed? In words of older rows.
pub(super) fn failed(draft: &Draft) -> bool {
    let Some(extras) = &draft.metadata else { return false };
    extras.get("is_error").and_then(Value::as_bool).unwrap_or(false)
        || extras.get("exit_code").and_then(Value::as_i64).is_some_and(|code| code != 0)
}

fn object<'m>(extras: &'m Map<String, Value>, keys: &[&str]) -> Option<&'m Map<String, Value>> {
    keys.iter().find_map(|key| extras.get(*key)?.as_object())
}
