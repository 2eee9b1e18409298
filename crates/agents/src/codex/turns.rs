//! Turns and runs: from a prompt to the agent's last word, and the tokens that they took.

use super::Rollout;
use crate::change::Stretch;
use crate::parts::at::{At, tokens};
use crate::parts::obj::Obj;
use model::{MessageId, Role, RunOutcome, Spent, Usage};
use serde_json::Map;

/// The turn that the lines belong to.
#[derive(Default)]
pub(super) struct Turn {
    /// The agent's own id of it.
    id: Option<String>,
    /// Messages of it so far.
    messages: usize,
    is_open: bool,
    /// Tokens of the session so far, by which a repeated count is known.
    total: i64,
    /// The same tokens by kind. None before the first count.
    spent: Option<Usage>,
    /// The message that shows the count of the turn.
    shown: Option<String>,
    /// The prompts that still hold, each with where it is in the file.
    prompts: Vec<(MessageId, u64)>,
}

impl Turn {
    /// The id of the next message without one of its own.
    pub fn next_id(&mut self) -> Option<String> {
        let turn = self.id.as_ref()?;
        self.messages += 1;
        Some(format!("{turn}~{}", self.messages))
    }

    /// Another turn begins. The same one may be named again.
    fn enter(&mut self, id: &str) {
        if self.id.as_deref() != Some(id) {
            (self.id, self.messages) = (Some(id.to_owned()), 0);
        }
    }
}

impl Rollout {
    /// A line names the turn that it belongs to.
    pub(super) fn enter_turn(&mut self, line: &Obj) {
        if let Some(id) = line.filled("turn_id") {
            self.turn.enter(&id);
        }
    }

    pub(super) fn task_started(&mut self, at: &At, event: &Obj) {
        self.turn.is_open = true;
        if let Some(id) = event.filled("turn_id") {
            self.calls.end_all(&mut self.book, at.session, "orphaned");
            self.book.sessions[at.session].runs.begin(&id, at.time);
            let model = self.origin.model.clone();
            self.book.sessions[at.session].runs.uses(model.as_deref());
        }
        self.aside(at, "task_started", event);
    }

    /// A prompt begins a run, unless a turn has begun one.
    pub(super) fn prompt(&mut self, at: &mut At, id: &str) {
        let runs = &mut self.book.sessions[at.session].runs;
        if !(self.turn.is_open && runs.id().is_some()) {
            self.calls.end_all(&mut self.book, at.session, "orphaned");
            let runs = &mut self.book.sessions[at.session].runs;
            runs.begin(id, at.time);
            runs.uses(self.origin.model.as_deref());
        }
        at.run = self.book.sessions[at.session].runs.id().map(str::to_owned);
    }

    /// A prompt became a message.
    pub(super) fn prompted(&mut self, id: &MessageId, at: &At) {
        // The blocks of one line are one prompt.
        if self.turn.prompts.last().is_none_or(|(_, offset)| *offset != at.span.offset) {
            self.turn.prompts.push((id.clone(), at.span.offset));
        }
    }

    /// A person took back the last prompts, with all that came of them.
    pub(super) fn rolled_back(&mut self, at: &At, event: &Obj) {
        let count = event.int("num_turns").and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
        let plural = if count == 1 { "" } else { "s" };
        let draft = at.aside(&at.id, "thread_rolled_back", format!("{count} prompt{plural} taken back"));
        let before = draft.id.clone();
        self.say(at, draft);
        let kept = self.turn.prompts.len().saturating_sub(count);
        if let Some((from, offset)) = self.turn.prompts.split_off(kept).into_iter().next() {
            self.book.leave(at.session, Stretch { from, before }, offset..at.span.offset, true);
        }
    }

    /// The agent speaks: where nothing began a run, the line does.
    pub(super) fn ensure_run(&mut self, at: &mut At) {
        let runs = &mut self.book.sessions[at.session].runs;
        if runs.id().is_none() {
            runs.begin(&at.id, at.time);
            runs.uses(self.origin.model.as_deref());
        } else {
            runs.reopen();
        }
        at.run = runs.id().map(str::to_owned);
    }

    /// Older versions don't say when a turn ends: a text without open calls is as good a sign as there is.
    pub(super) fn seems_over(&mut self, at: &At) {
        if !self.turn.is_open && self.calls.newest_open(None).is_none() {
            self.book.sessions[at.session].runs.pause(RunOutcome::Done, at.time);
        }
    }

    pub(super) fn task_complete(&mut self, at: &At, event: &Obj) {
        self.turn.is_open = false;
        let runs = &mut self.book.sessions[at.session].runs;
        let run = runs.last_id().map(str::to_owned);
        if let Some(milliseconds) = event.int("time_to_first_token_ms") {
            runs.first_token(milliseconds);
        }
        let usage = runs.last().map(|run| run.usage).unwrap_or_default();
        runs.end(RunOutcome::Done, Some(at.time));
        let mut metadata = Map::new();
        let mut content = "Turn completed".to_owned();
        if let Some(duration) = event.int("duration_ms") {
            content = seconds(duration);
            metadata.insert("duration_ms".to_owned(), duration.into());
        }
        metadata.extend(tokens(usage));
        let mut draft = at.text(&at.id, Role::Host, "result_meta", content);
        draft.run_id = run;
        draft.metadata = Some(metadata).filter(|metadata| !metadata.is_empty());
        self.say(at, draft);
    }

    /// A person interrupted the agent, mostly.
    pub(super) fn turn_aborted(&mut self, at: &At, event: &Obj) {
        self.turn.is_open = false;
        self.calls.end_all(&mut self.book, at.session, "cancelled");
        let reason = event.filled("reason").unwrap_or_else(|| "interrupted".to_owned());
        self.book.sessions[at.session].runs.end(RunOutcome::Interrupted, Some(at.time));
        let draft = if reason == "interrupted" {
            at.interruption(&at.id)
        } else {
            at.aside(&at.id, "turn_aborted", format!("Turn ended: {}", reason.replace('_', " ")))
        };
        self.say(at, draft);
    }

    pub(super) fn turn_context(&mut self, at: &At, line: &Obj) {
        self.settings(at.session, line);
        let said = [("Model", "model"), ("effort", "effort"), ("approval", "approval_policy"), ("folder", "cwd")];
        let words: Vec<String> =
            said.iter().filter_map(|(what, key)| Some(format!("{what} {}", line.filled(key)?))).collect();
        let content = if words.is_empty() { "Turn context".to_owned() } else { words.join(", ") };
        let mut draft = at.aside(&at.id, "turn_context", content);
        draft.origin = self.origin.clone();
        self.say(at, draft);
    }

    /// Model and folder, from now on.
    pub(super) fn settings(&mut self, session: usize, line: &Obj) {
        self.enter_turn(line);
        self.origin.cwd = line.filled("cwd").or(self.origin.cwd.take());
        self.origin.model = line.filled("model").or(self.origin.model.take());
        let origin = self.origin.clone();
        let session = &mut self.book.sessions[session];
        session.set(|facts| &mut facts.cwd, origin.cwd.clone());
        if session.facts.project.is_none() {
            session.set(|facts| &mut facts.project, origin.cwd);
        }
        session.runs.uses(origin.model.as_deref());
        session.set(|facts| &mut facts.model, origin.model);
    }

    /// A count of tokens that another session took.
    pub(super) fn skip_tokens(&mut self, event: &Obj) {
        let total = event.obj("info").and_then(|info| info.obj("total_token_usage"));
        self.turn.total = total.as_ref().and_then(|total| total.int("total_tokens")).unwrap_or(self.turn.total);
        self.turn.spent = total.as_ref().map(usage).or(self.turn.spent);
    }

    /// The count of tokens after a request. The same one comes again with news of limits.
    pub(super) fn token_count(&mut self, at: &At, event: &Obj) {
        let info = event.obj("info");
        let total = info.as_ref().and_then(|info| info.obj("total_token_usage"));
        let last = info.as_ref().and_then(|info| info.obj("last_token_usage"));
        let sum = total.as_ref().and_then(|total| total.int("total_tokens"));
        let window = info.as_ref().and_then(|info| info.int("model_context_window"));
        if let (Some(sum), Some(last)) = (sum, last.as_ref().or(total.as_ref()))
            && sum != self.turn.total
        {
            self.turn.total = sum;
            let (last, total) = (usage(last), total.as_ref().map(usage));
            let before = std::mem::replace(&mut self.turn.spent, total);
            let grown = before.zip(total).map(|(before, total)| growth(&before, &total));
            let has_last = info.as_ref().is_some_and(|info| info.has("last_token_usage"));
            let last = grown.filter(|_| !has_last).unwrap_or(last);
            let mut at = at.clone();
            self.ensure_run(&mut at);
            let of = self.turn.id.as_deref().unwrap_or(&self.file_key).to_owned();
            // Requests before this one whose counts aren't in the file.
            let missing = grown.map(|grown| growth(&last, &grown)).filter(|missing| *missing != Usage::default());
            if let Some(usage) = missing {
                let spent = Spent { id: format!("{of}~{sum}~before"), usage, ..Spent::default() };
                self.book.spent(at.session, spent);
            }
            let spent = Spent { id: format!("{of}~{sum}"), usage: last, context: window, ..Spent::default() };
            self.book.spent(at.session, spent);
        }
        let content = match (sum, window) {
            (Some(sum), Some(window)) => format!("{sum} tokens so far, of a context of {window}"),
            (Some(sum), None) => format!("{sum} tokens so far"),
            _ => "Limits of use".to_owned(),
        };
        let of = self.turn.id.as_deref().unwrap_or(&self.file_key);
        let draft = at.aside(&format!("{of}~token_count"), "token_count", content);
        let id = draft.id.as_str().to_owned();
        if let Some(last) = self.turn.shown.replace(id.clone()).filter(|last| *last != id) {
            self.book.release(at.session, &last);
        }
        self.book.keep(at.session, draft, at.span);
    }
}

/// Returns the tokens of a request. Codex counts cache reads and writes as input too, and reasoning as output.
pub(crate) fn usage(usage: &Obj) -> Usage {
    let count = |name: &str| usage.int(name).unwrap_or(0).clamp(0, 1 << 40);
    let (cache_read, cache_write) = (count("cached_input_tokens"), count("cache_write_input_tokens"));
    Usage {
        input: (count("input_tokens") - cache_read - cache_write).max(0),
        output: count("output_tokens"),
        cache_read,
        cache_write,
    }
}

/// Returns by how much each count grew. A count that began anew gives 0.
fn growth(before: &Usage, after: &Usage) -> Usage {
    let more = |of: fn(&Usage) -> i64| (of(after) - of(before)).max(0);
    Usage {
        input: more(|usage| usage.input),
        output: more(|usage| usage.output),
        cache_read: more(|usage| usage.cache_read),
        cache_write: more(|usage| usage.cache_write),
    }
}

/// `3.4 s`, `2 min 5 s`.
fn seconds(milliseconds: i64) -> String {
    let tenths = milliseconds.max(0) / 100;
    if tenths < 600 {
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    format!("{} min {} s", tenths / 600, tenths / 10 % 60)
}
