//! Steps, and the history that repeats them.

use super::chat::text_of;
use super::{Action, Trajectory};
use crate::Span;
use crate::parts::at::hash;
use crate::parts::obj::{Obj, string};
use crate::parts::result::Result;
use model::{Context, Role};
use serde_json::Value;
use std::collections::HashSet;

/// Steps that wait for the prompts before them, which only the history has.
#[derive(Default)]
pub(super) struct Held {
    steps: Vec<(usize, String, Span)>,
    bytes: usize,
    /// The prompts are there, or won't be waited for any longer.
    is_over: bool,
}

/// The most bytes of steps that wait.
const MOST_HELD: usize = 16 << 20;

/// The texts that the file has twice. The list that comes first is shown.
#[derive(Default)]
pub(super) struct Twins {
    /// Prompts that were shown already.
    prompts: HashSet<u64>,
    /// The list whose actions are shown.
    shown: Option<&'static str>,
    actions: Vec<u64>,
    /// How many of these were repeated.
    next: usize,
    /// True if the last answer was a repeated one: then its result is repeated too.
    follows: bool,
    /// Entries that repeat others, and the message that says so.
    count: usize,
    id: Option<String>,
}

impl Twins {
    /// Returns true if the other list has shown this action.
    fn is_repeated(&mut self, list: &'static str, action: u64) -> bool {
        if *self.shown.get_or_insert(list) == list {
            self.actions.push(action);
            return false;
        }
        let found = self.actions[self.next..].iter().position(|shown| *shown == action);
        self.next += found.map_or(0, |found| found + 1);
        found.is_some()
    }
}

impl Trajectory {
    /// An entry of the trajectory.
    pub(super) fn step(&mut self, index: usize, raw: &str, step: &Obj, span: Span) {
        let heard = step.list("query").or_else(|| step.list("messages")).filter(|heard| !heard.is_empty());
        if let Some(heard) = heard.filter(|_| index == 0 && !self.held.is_over) {
            self.held.is_over = true;
            self.prompts(&heard, span);
        }
        if self.held.is_over {
            return self.show_step(index, step, span);
        }
        self.held.bytes += raw.len();
        self.held.steps.push((index, raw.to_owned(), span));
        if self.held.bytes > MOST_HELD {
            self.release_steps();
        }
    }

    pub(super) fn release_steps(&mut self) {
        self.held.is_over = true;
        for (index, raw, span) in std::mem::take(&mut self.held.steps) {
            if let Some(step) = Obj::parse(&raw) {
                self.show_step(index, &step, span);
            }
        }
    }

    /// Reads the messages to the model before its first step.
    fn prompts(&mut self, heard: &[&str], span: Span) {
        for (n, raw) in heard.iter().enumerate() {
            let Some(entry) = Obj::parse(raw) else { continue };
            if is_answer(&entry) {
                break;
            }
            self.twins.prompts.insert(prompt_hash(&entry));
            self.message("history", n, &entry, span);
        }
    }

    fn show_step(&mut self, index: usize, step: &Obj, span: Span) {
        let action = step.string("action").unwrap_or_default();
        let response = step.filled("response");
        let thought = step.string("thought").filter(|thought| !thought.trim().is_empty()).or(response);
        let words = thought.unwrap_or_default();
        if self.twins.is_repeated("trajectory", action_hash(&action, &words)) {
            return self.repeat("trajectory", span);
        }
        let state = step.str("state").map(std::borrow::Cow::into_owned);
        let state = state.as_deref().or_else(|| step.raw("state")).and_then(Obj::parse);
        let mut at = self.at(self.id("trajectory", index), None, span);
        self.ensure_run(&mut at);
        self.thoughts(&at, step);
        self.words(&at, &words);
        let observation = step.string("observation").unwrap_or_default();
        if action.trim().is_empty() {
            if !observation.is_empty() {
                let mut draft = at.text(&format!("{}~observation", at.id), Role::System, "observation", observation);
                draft.context = Context::Turn;
                self.say(&at, draft);
            } else if words.trim().is_empty() {
                self.say(&at, at.aside(&at.id, "step", "An empty step"));
            }
        } else {
            let call = called(step, &action).unwrap_or_else(|| Action::command(action.trim_end()));
            let call_id = self.begin_call(&at, None, 0, call);
            let seconds = step.float("execution_time").filter(|seconds| *seconds > 0.0);
            let details = seconds.map(|seconds| ("duration_ms", Value::from((seconds * 1000.0) as i64)));
            let details = details.into_iter().collect();
            let result = Result { state: "done", text: observation, details, ..Result::default() };
            self.calls.finish(&mut self.book, &at, &call_id, result);
            self.waiting.clear();
        }
        // The state is that after the step.
        self.cwd(state.and_then(|state| state.filled("working_dir")).filter(|cwd| cwd != "n/a"));
    }

    /// An entry of the history.
    pub(super) fn history(&mut self, index: usize, entry: &Obj, span: Span) {
        if self.twins.prompts.contains(&prompt_hash(entry)) {
            return self.repeat("history", span);
        }
        let is_demo = entry.is_true("is_demo");
        if is_answer(entry) {
            self.release_steps();
            let action = entry.string("action").unwrap_or_default();
            self.twins.follows = self.twins.is_repeated("history", action_hash(&action, &text_of(entry)));
            if self.twins.follows && entry.list("thinking_blocks").is_some_and(|blocks| !blocks.is_empty()) {
                // Steps lack them.
                let mut at = self.at(self.id("history", index), None, span);
                self.ensure_run(&mut at);
                return self.thoughts(&at, entry);
            }
        } else if is_demo || entry.str("role").as_deref() == Some("system") {
            self.twins.follows = false;
        }
        if self.twins.follows && !is_demo {
            return self.repeat("history", span);
        }
        self.message("history", index, entry, span);
    }

    /// An entry repeats what is shown.
    fn repeat(&mut self, list: &str, span: Span) {
        self.twins.count += 1;
        let count = self.twins.count;
        let plural = if count == 1 { "y repeats" } else { "ies repeat" };
        let content = format!("{count} entr{plural} what is shown above");
        if let Some(draft) = self.twins.id.as_ref().and_then(|id| self.book.change(self.session, id, span)) {
            draft.content = content;
            return;
        }
        let at = self.at(format!("{}~repeated", self.file_key), None, span);
        let draft = at.aside(&at.id, list, content);
        self.twins.id = Some(draft.id.as_str().to_owned());
        self.book.keep(at.session, draft, span);
    }

    pub(super) fn release_repeats(&mut self) {
        if let Some(id) = self.twins.id.take() {
            self.book.release(self.session, &id);
        }
    }
}

/// Returns true if the model speaks, outside a demonstration.
fn is_answer(entry: &Obj) -> bool {
    entry.str("role").as_deref() == Some("assistant") && !entry.is_true("is_demo")
}

fn prompt_hash(entry: &Obj) -> u64 {
    hash(&format!("{}\0{}", entry.filled("role").unwrap_or_default(), text_of(entry)))
}

fn action_hash(action: &str, words: &str) -> u64 {
    let action = action.trim();
    hash(if action.is_empty() { words.trim() } else { action })
}

/// The call of the model's API that a step is, where its messages end with it.
fn called(step: &Obj, action: &str) -> Option<Action> {
    let heard = step.list("messages")?;
    let said = heard.into_iter().rev().filter_map(Obj::parse).find(is_answer)?;
    let calls = said.list("tool_calls")?;
    let [call] = calls.as_slice() else { return None };
    let is_it = said.raw("action").and_then(string).is_some_and(|said| said.trim() == action.trim());
    Action::of_call(&Obj::parse(call)?).filter(|_| is_it)
}
