//! The state of a session between events: whether the agent's turn is over, and its background tasks.

use api::hooks::HookEvent;
use model::session::TURN_OVER;
use serde_json::Value;
use std::collections::BTreeMap;

/// Tasks that are remembered of a session.
const TASKS: usize = 256;

/// The turn of a session's agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    pub is_over: bool,
    /// Background tasks by id.
    background: BTreeMap<String, Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Agent,
    Command,
    Task,
}

impl Turn {
    /// A turn of which nothing else is known.
    pub fn new(is_over: bool) -> Self {
        Self { is_over, ..Self::default() }
    }

    /// Takes an event.
    pub fn take(&mut self, event: &HookEvent) {
        if let Some(tasks) = &event.background_tasks {
            self.background = tasks.iter().take(TASKS).filter_map(running).collect();
        }
        match (event.hook_event_name.as_str(), &event.agent_id) {
            ("SubagentStart", Some(agent)) if self.background.len() < TASKS => {
                self.background.insert(agent.clone(), Kind::Agent);
            }
            ("SubagentStop", Some(agent)) => {
                self.background.remove(agent);
            }
            ("Stop", None) => self.is_over = true,
            ("SessionEnd" | "SessionStart", _) if !is_compacted(event) => *self = Self::default(),
            // Events of sub-agents don't begin a turn.
            ("UserPromptSubmit" | "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "StopFailure", None) => {
                self.is_over = false;
            }
            _ => {}
        }
    }

    /// Returns what the session does once its turn is over: nothing, or what goes on behind it.
    pub fn rest(&self) -> String {
        let count = |kind: Kind| self.background.values().filter(|it| **it == kind).count();
        let named = [(Kind::Agent, "agent"), (Kind::Command, "command"), (Kind::Task, "task")];
        let parts = named.into_iter().filter_map(|(kind, word)| match count(kind) {
            0 => None,
            1 => Some(format!("1 {word}")),
            n => Some(format!("{n} {word}s")),
        });
        match parts.collect::<Vec<_>>().join(" and ") {
            none if none.is_empty() => TURN_OVER.to_owned(),
            tasks => format!("{TURN_OVER}, {tasks} in the background"),
        }
    }

    pub fn has_background(&self) -> bool {
        !self.background.is_empty()
    }
}

/// A task that still runs: its id and its kind.
fn running(task: &Value) -> Option<(String, Kind)> {
    let text = |key: &str| task.get(key).and_then(Value::as_str);
    if !matches!(text("status"), None | Some("running" | "pending")) {
        return None;
    }
    let kind = match text("type").unwrap_or_default() {
        kind if kind.contains("agent") => Kind::Agent,
        kind if kind.contains("bash") || kind.contains("shell") => Kind::Command,
        _ => Kind::Task,
    };
    Some((text("id")?.to_owned(), kind))
}

/// A session that goes on after its context was made smaller starts as well.
fn is_compacted(event: &HookEvent) -> bool {
    event.hook_event_name == "SessionStart" && event.source.as_deref() == Some("compact")
}
