//! How a run ended: its status, what it took, and the patch that it handed in.

use super::Trajectory;
use crate::Span;
use crate::parts::at::tokens;
use crate::parts::edits::of_patch;
use crate::parts::obj::{Obj, string};
use crate::parts::patch::unified;
use model::envelope::EditState;
use model::{Role, RunOutcome, Spent, Usage};
use serde_json::Map;

impl Trajectory {
    /// Reads the facts of the run. mini-SWE-agent writes them before the messages, but the end of the document is where
    /// the run ends.
    pub(super) fn info(&mut self, raw: &str, span: Span) {
        if let Some(info) = Obj::parse(raw) {
            let version = info.filled("mini_version").or_else(|| info.filled("swe_agent_version"));
            self.origin.version = version.or(self.origin.version.take());
            let version = self.origin.version.clone();
            self.book.sessions[self.session].set(|facts| &mut facts.version, version);
            let config = info.obj("config");
            let inner = |key: &str, name: &str| config.as_ref()?.obj(key)?.filled(name);
            self.model(inner("model", "model_name"));
            self.cwd(inner("environment", "cwd"));
        }
        self.info = Some((raw.to_owned(), span));
    }

    /// With what SWE-agent was started.
    pub(super) fn replay_config(&mut self, raw: &str) {
        let text = string(raw);
        let config = Obj::parse(text.as_deref().unwrap_or(raw));
        let model = config.and_then(|config| config.obj("agent")?.obj("model")?.filled("name"));
        self.model(model);
    }

    /// The document ends.
    pub(super) fn end_run(&mut self) {
        let Some((raw, span)) = self.info.take() else {
            let last = self.book.sessions[self.session].last_time;
            return self.book.sessions[self.session].runs.end(RunOutcome::Done, Some(last));
        };
        let mut at = self.at(format!("{}~info", self.file_key), None, span);
        let Some(info) = Obj::parse(&raw) else { return self.aside(&at, "info", &raw) };
        self.ensure_run(&mut at);
        let stats = info.obj("model_stats");
        let count = |name: &str| stats.as_ref().and_then(|stats| stats.int(name)).unwrap_or(0).clamp(0, 1 << 40);
        let cost = |name: &str| stats.as_ref().and_then(|stats| stats.float(name)).filter(|cost| *cost > 0.0);
        let cost_usd = cost("instance_cost").or_else(|| cost("total_cost"));
        let usage = Usage { input: count("tokens_sent"), output: count("tokens_received"), ..Usage::default() };
        if !self.is_counted && (usage != Usage::default() || cost_usd.is_some()) {
            self.is_counted = true;
            let id = format!("{}~model_stats", self.file_key);
            self.book.spent(at.session, Spent { id, usage, cost_usd, ..Spent::default() });
        }
        let status = info.filled("exit_status");
        let mut words = vec![status.clone().unwrap_or_else(|| "No exit status".to_owned())];
        let requests = count("api_calls");
        if requests > 0 {
            words.push(format!("{requests} request{}", if requests == 1 { "" } else { "s" }));
        }
        words.extend(cost_usd.map(|cost| format!("${cost:.2}")));
        let used = self.book.sessions[at.session].runs.last().map(|run| run.usage).unwrap_or_default();
        let mut draft = at.text(&at.id, Role::Host, "result_meta", words.join(", "));
        draft.metadata = tokens(used).map(|tokens| Map::from_iter([tokens]));
        if let Some(submission) = info.filled("submission") {
            self.submission(&at, &submission);
        }
        self.say(&at, draft);
        if let Some(status) = status {
            self.book.sessions[at.session].runs.end(outcome(&status), Some(at.time));
        }
    }

    /// Adds the submission: a patch as one edit a file, or words.
    fn submission(&mut self, at: &crate::parts::at::At, text: &str) {
        let patches = unified(&without_returns(text));
        for (n, patch) in patches.iter().enumerate() {
            let done = of_patch(patch, EditState::Applied, None);
            let id = format!("{}~submission~{n}", self.file_key);
            let mut draft = at.text(&id, Role::Assistant, "bot", done.content);
            draft.metadata = Some(done.metadata);
            self.say(at, draft);
        }
        if patches.is_empty() && !text.trim().is_empty() {
            let id = format!("{}~submission", self.file_key);
            self.say(at, at.text(&id, Role::Assistant, "bot", text.trim()));
        }
    }
}

/// A patch that came through a terminal, which puts a carriage return before each line end.
fn without_returns(text: &str) -> String {
    let is_terminal = text.split_inclusive('\n').all(|line| line.ends_with("\r\n") || !line.ends_with('\n'));
    if is_terminal { text.replace("\r\n", "\n") } else { text.to_owned() }
}

/// `submitted (exit_cost)` is a patch that was taken when the run had to end.
fn outcome(status: &str) -> RunOutcome {
    let status = status.to_ascii_lowercase();
    match status.as_str() {
        "submitted" => RunOutcome::Done,
        _ if ["interrupt", "user", "exit_command"].iter().any(|word| status.contains(word)) => RunOutcome::Interrupted,
        _ => RunOutcome::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::{outcome, without_returns};
    use model::RunOutcome;

    #[test]
    fn a_terminal_adds_returns_to_every_line() {
        assert_eq!(without_returns("a\r\nb\r\r\nc"), "a\nb\r\nc");
        assert_eq!(without_returns("a\r\nb\n"), "a\r\nb\n");
    }

    #[test]
    fn how_a_run_ended() {
        use RunOutcome::{Done, Failed, Interrupted};
        let outcomes = ["submitted", "Submitted", "submitted (exit_cost)", "LimitsExceeded", "UserInterruption"];
        assert_eq!(outcomes.map(outcome), [Done, Done, Failed, Failed, Interrupted]);
    }
}
