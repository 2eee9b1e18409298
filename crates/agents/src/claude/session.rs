//! What is known of one session of the file.

use super::runs::Runs;
use super::todos::Tasks;
use model::text::{self, TitleWorth};
use model::{Micros, SessionFacts};
use serde_json::Value;

/// Where a title came from; a later one of at least the same rank replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TitleRank {
    None,
    /// A `summary` line about this conversation.
    Summary,
    /// What the parent called the task.
    Task,
    /// Made by the agent.
    Agent,
    /// Given by a person.
    Custom,
}

pub(crate) struct Session {
    pub key: String,
    pub facts: SessionFacts,
    /// Do the facts differ from what was handed out?
    pub changed: bool,
    pub runs: Runs,
    pub tasks: Tasks,
    title_rank: TitleRank,
    /// Of the first prompt so far.
    prompt_worth: Option<TitleWorth>,
    /// The time of the newest line that has one, for lines that have none.
    pub last_time: Micros,
    /// When the model was last told something, or said something itself: what it thinks next began then.
    pub heard_at: Micros,
    /// The id of a line that may begin a run if the agent answers it: a command, a notification.
    pub cause: Option<(String, Micros)>,
    /// How the last call went that didn't go well: others of the same step go down with it.
    pub trouble: &'static str,
    /// The message that says where older context was given up, and its figures, until the summary comes.
    pub boundary: Option<(String, Value)>,
    /// The call that asks a question and waits for an answer.
    pub question: Option<String>,
}

impl Session {
    pub fn new(key: String) -> Self {
        Self {
            key,
            facts: SessionFacts::default(),
            changed: true,
            runs: Runs::default(),
            tasks: Tasks::default(),
            title_rank: TitleRank::None,
            prompt_worth: None,
            last_time: Micros(0),
            heard_at: Micros(0),
            cause: None,
            trouble: "failed",
            boundary: None,
            question: None,
        }
    }

    /// Sets a fact, and remembers that it changed.
    pub fn set<T: PartialEq>(&mut self, field: fn(&mut SessionFacts) -> &mut Option<T>, value: Option<T>) {
        if value.is_some() && *field(&mut self.facts) != value {
            *field(&mut self.facts) = value;
            self.changed = true;
        }
    }

    pub fn title(&mut self, rank: TitleRank, title: &str) {
        let title = title.trim();
        if rank >= self.title_rank && !title.is_empty() {
            self.title_rank = rank;
            self.set(|facts| &mut facts.title, Some(title.to_owned()));
        }
    }

    /// A command or a lone word serves as the first prompt until there is one that says more.
    pub fn first_prompt(&mut self, prompt: &str) {
        let line = text::title(prompt);
        let worth = TitleWorth::of(prompt);
        if self.prompt_worth.is_none_or(|known| worth > known) && !line.is_empty() {
            self.prompt_worth = Some(worth);
            self.set(|facts| &mut facts.first_prompt, Some(line));
        }
    }

    /// A line was written at this time.
    pub fn seen_at(&mut self, time: Micros) {
        self.last_time = time;
        if self.facts.first_at.is_none_or(|first| time < first) {
            self.set(|facts| &mut facts.first_at, Some(time));
        }
        if self.facts.last_at.is_none_or(|last| time > last) {
            self.set(|facts| &mut facts.last_at, Some(time));
        }
    }

    /// Lines of an applied edit.
    pub fn edited(&mut self, added: u64, removed: u64) {
        let sum = |old: Option<i64>, more: u64| Some(old.unwrap_or(0).saturating_add(more as i64));
        let (plus, minus) = (sum(self.facts.lines_added, added), sum(self.facts.lines_removed, removed));
        self.set(|facts| &mut facts.lines_added, plus);
        self.set(|facts| &mut facts.lines_removed, minus);
    }
}
