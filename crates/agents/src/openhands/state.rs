//! The program's own state: whether it runs, its tokens, its errors.

use super::Conversation;
use crate::parts::at::At;
use crate::parts::blocks::cut;
use crate::parts::obj::{Obj, string};
use model::{RunOutcome, Spent, Usage};

/// The sums of tokens and cost so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Total {
    usage: Usage,
    cost: f64,
}

impl Total {
    fn read(metrics: &Obj) -> Self {
        let used = metrics.obj("accumulated_token_usage");
        let count = |name: &str| used.as_ref().and_then(|used| used.int(name)).unwrap_or(0).clamp(0, 1 << 40);
        let (cache_read, cache_write) = (count("cache_read_tokens"), count("cache_write_tokens"));
        // Cache reads and writes are counted as part of the prompt.
        let input = (count("prompt_tokens") - cache_read - cache_write).max(0);
        let usage = Usage { input, output: count("completion_tokens"), cache_read, cache_write };
        Self { usage, cost: metrics.float("accumulated_cost").unwrap_or(0.0) }
    }

    fn since(self, before: Self) -> Self {
        let (new, old) = (self.usage, before.usage);
        let usage = Usage {
            input: (new.input - old.input).max(0),
            output: (new.output - old.output).max(0),
            cache_read: (new.cache_read - old.cache_read).max(0),
            cache_write: (new.cache_write - old.cache_write).max(0),
        };
        Self { usage, cost: (self.cost - before.cost).max(0.0) }
    }
}

impl Conversation {
    /// A field of the conversation's state has a new value, or all of them have.
    pub(super) fn state_update(&mut self, at: &mut At, event: &Obj) {
        const MOST: usize = 120;
        let key = event.filled("key").unwrap_or_else(|| "state".to_owned());
        let raw = event.raw("value").unwrap_or("null");
        let inner = Obj::parse(raw);
        let field = |name: &str, inside: &str| inner.as_ref()?.obj(name)?.filled(inside);
        match key.as_str() {
            "stats" => return self.stats(at, raw),
            "execution_status" | "agent_status" => self.status(at, string(raw).as_deref().unwrap_or_default()),
            "full_state" => {
                self.cwd(field("workspace", "working_dir"));
                let agent = inner.as_ref().and_then(|state| state.obj("agent"));
                self.model(agent.and_then(|agent| agent.obj("llm")?.filled("model")));
            }
            _ => {}
        }
        let words = key.replace('_', " ");
        let content = match (string(raw), inner) {
            (Some(text), _) => format!("{words}: {}", cut(&text, MOST)),
            (None, Some(inner)) => crate::parts::short::fields_in_short(&key, &inner),
            (None, None) => format!("{words}: {}", cut(raw, MOST)),
        };
        self.say(at, at.aside(&at.id, &key, content));
    }

    fn status(&mut self, at: &At, status: &str) {
        let runs = &mut self.book.sessions[at.session].runs;
        match status {
            "finished" | "idle" => runs.pause(RunOutcome::Done, at.time),
            "error" | "stuck" => runs.pause(RunOutcome::Failed, at.time),
            _ => {}
        }
    }

    /// All that was used so far. A run has what came since the last time.
    fn stats(&mut self, at: &mut At, raw: &str) {
        self.ensure_run(at);
        let metrics = Obj::parse(raw).and_then(|stats| stats.obj("usage_to_metrics"));
        let mut sum = 0;
        for (name, raw) in metrics.iter().flat_map(Obj::fields) {
            let Some(metrics) = Obj::parse(raw) else { continue };
            let total = Total::read(&metrics);
            let new = total.since(self.totals.insert(name.to_owned(), total).unwrap_or_default());
            let Usage { input, output, cache_read, cache_write } = total.usage;
            sum += input + output + cache_read + cache_write;
            if name != "condenser" {
                self.model(metrics.filled("model_name").filter(|model| model != "default"));
            }
            if new.usage != Usage::default() || new.cost > 0.0 {
                let id = format!("{}~{name}", at.id);
                let cost_usd = Some(new.cost).filter(|cost| *cost > 0.0);
                let model = metrics.filled("model_name").filter(|model| model != "default");
                self.book.spent(at.session, Spent { id, usage: new.usage, cost_usd, model, ..Spent::default() });
            }
        }
        let of = at.run.as_deref().unwrap_or(&self.key);
        let draft = at.aside(&format!("{of}~stats"), "stats", format!("{sum} tokens so far"));
        let id = draft.id.as_str().to_owned();
        if let Some(last) = self.shown.replace(id.clone()).filter(|last| *last != id) {
            self.book.release(at.session, &last);
        }
        self.book.keep(at.session, draft, at.span);
    }

    pub(super) fn model(&mut self, model: Option<String>) {
        if model.is_some() {
            self.origin.model = model;
            let session = &mut self.book.sessions[self.session];
            session.runs.uses(self.origin.model.as_deref());
            session.set(|facts| &mut facts.model, self.origin.model.clone());
        }
    }

    pub(super) fn cwd(&mut self, cwd: Option<String>) {
        if cwd.is_some() {
            self.origin.cwd.clone_from(&cwd);
            let session = &mut self.book.sessions[self.session];
            if session.facts.project.is_none() {
                session.set(|facts| &mut facts.project, cwd.clone());
            }
            session.set(|facts| &mut facts.cwd, cwd);
        }
    }

    /// An error that ended the run.
    pub(super) fn error(&mut self, at: &mut At, event: &Obj) {
        self.ensure_run(at);
        let kind = event.filled("code").unwrap_or_else(|| "error".to_owned());
        let message = event.filled("detail").or_else(|| event.filled("message")).unwrap_or_else(|| kind.clone());
        self.say(at, at.error(&at.id, &kind, message, None));
        self.book.sessions[at.session].runs.pause(RunOutcome::Failed, at.time);
    }

    /// A person stopped the agent.
    pub(super) fn interrupted(&mut self, at: &At) {
        self.calls.end_all(&mut self.book, at.session, "cancelled");
        self.book.sessions[at.session].runs.end(RunOutcome::Interrupted, Some(at.time));
        self.say(at, at.interruption(&at.id));
    }
}
