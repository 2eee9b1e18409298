//! The state of a running agent for pages.

use crate::basics::clock;
use api::driving::{AgentChoice, AgentNotice, AgentState, GrowingText};
use drivers::Exit;
use drivers::{Choice, Event, State, Tokens, Voice};
use model::Micros;
use std::collections::VecDeque;

/// Notices that are kept.
const NOTICES: usize = 20;
/// Bytes of a growing text that are shown: its end.
const SHOWN: usize = 16 << 10;

/// Data about an agent that its transcript doesn't contain.
#[derive(Debug, Clone)]
pub struct View {
    /// The number of the last change.
    pub changed: u64,
    pub state: AgentState,
    pub version: Option<String>,
    pub mode: Option<String>,
    pub model: Option<String>,
    pub modes: Vec<AgentChoice>,
    pub models: Vec<AgentChoice>,
    growing: Vec<(String, Voice, String)>,
    pub tokens: i64,
    notices: VecDeque<Notice>,
    /// Notices that came so far.
    noted: i64,
    /// Turns that began so far.
    turn: u64,
}

#[derive(Debug, Clone)]
struct Notice {
    id: i64,
    text: String,
    at: Micros,
    /// The turn that it belongs to.
    turn: u64,
    is_dismissed: bool,
}

impl View {
    pub fn new(mode: Option<String>, model: Option<String>) -> Self {
        Self {
            changed: 0,
            state: AgentState::Starting,
            version: None,
            mode,
            model,
            modes: Vec::new(),
            models: Vec::new(),
            growing: Vec::new(),
            tokens: 0,
            notices: VecDeque::new(),
            noted: 0,
            turn: 0,
        }
    }

    /// The texts that grow at the moment.
    pub fn growing(&self) -> Vec<GrowingText> {
        let shown = |(_, voice, text): &(String, Voice, String)| {
            let mut from = text.len().saturating_sub(SHOWN);
            while !text.is_char_boundary(from) {
                from += 1;
            }
            let text = text.get(from..).unwrap_or_default().to_owned();
            GrowingText { thought: *voice == Voice::Thought, text }
        };
        self.growing.iter().map(shown).collect()
    }

    /// The same in whole, with the keys and voices.
    pub fn unfinished(&self) -> Vec<(String, Voice, String)> {
        self.growing.clone()
    }

    /// Notes something for people, in the turn of now.
    pub fn note(&mut self, text: String) {
        self.note_in(self.turn, text);
    }

    /// Notes something of a prompt that the agent is about to be given: one that waits begins a turn with it.
    pub fn note_of_prompt(&mut self, text: String) {
        let begins = u64::from(self.state == AgentState::Idle);
        self.note_in(self.turn + begins, text);
    }

    fn note_in(&mut self, turn: u64, text: String) {
        if self.notices.len() >= NOTICES {
            self.notices.pop_front();
        }
        self.noted += 1;
        self.notices.push_back(Notice { id: self.noted, text, at: clock::now(), turn, is_dismissed: false });
    }

    /// Returns the notices, newest last.
    pub fn notices(&self) -> Vec<AgentNotice> {
        let shown = |notice: &Notice| AgentNotice {
            id: notice.id,
            text: notice.text.clone(),
            at: notice.at,
            current: notice.turn >= self.turn && !notice.is_dismissed,
        };
        self.notices.iter().map(shown).collect()
    }

    pub fn last_notice(&self) -> Option<&str> {
        self.notices.back().map(|notice| notice.text.as_str())
    }

    /// A person has read the notices up to one.
    pub fn dismiss(&mut self, last: i64) {
        for notice in self.notices.iter_mut().filter(|notice| notice.id <= last) {
            notice.is_dismissed = true;
        }
    }

    /// Takes an event.
    pub fn take(&mut self, event: Event) {
        match event {
            Event::Session { version, model, mode, .. } => {
                self.version = version.or(self.version.take());
                self.model = model.or(self.model.take());
                self.mode = mode.or(self.mode.take());
            }
            Event::Modes(modes) => self.modes = choices(modes),
            Event::Models(models) => self.models = choices(models),
            Event::State(state) => {
                let is_turn = matches!(self.state, AgentState::Working | AgentState::Waiting);
                self.turn += u64::from(state == State::Working && !is_turn);
                self.state = match state {
                    State::Starting => AgentState::Starting,
                    State::Working => AgentState::Working,
                    State::Waiting => AgentState::Waiting,
                    State::Idle => AgentState::Idle,
                };
            }
            Event::Growing { key, voice, text } => match self.growing.iter_mut().find(|(known, ..)| *known == key) {
                Some((.., known)) => *known = text,
                None => self.growing.push((key, voice, text)),
            },
            Event::Grown { key } => self.growing.retain(|(known, ..)| *known != key),
            Event::Tokens(tokens) => self.tokens = count(tokens),
            Event::Turn(turn) => {
                self.tokens = 0;
                if let Some(message) = turn.message {
                    self.note(message);
                }
            }
            Event::Notice(notice) => self.note(notice),
            Event::Silent { awaits } => self.note(format!("The agent is silent: it owes an answer to {awaits}")),
            Event::Undelivered { text } => {
                let words = model::text::one_line(&text, 80);
                self.note(format!("\u{201c}{words}\u{201d} didn't reach the agent"));
            }
            Event::Unknown(_) | Event::Delivered(_) | Event::Asked(_) | Event::Withdrawn { .. } | Event::Ended(_) => {}
        }
    }
}

fn count(tokens: Tokens) -> i64 {
    i64::try_from(tokens.input.saturating_add(tokens.output).saturating_add(tokens.cache_write)).unwrap_or(i64::MAX)
}

fn choices(choices: Vec<Choice>) -> Vec<AgentChoice> {
    let choice = |Choice { id, label, description, .. }| AgentChoice { id, label, description };
    choices.into_iter().map(choice).collect()
}

/// Returns the agent's last line on standard error that mentions an error, otherwise the last line with text.
pub(super) fn said(exit: &Exit) -> Option<String> {
    let has_words = |line: &&str| line.chars().any(char::is_alphabetic);
    let lines = || exit.stderr.lines().rev().map(str::trim).filter(has_words);
    let line = lines().find(|line| line.to_ascii_lowercase().contains("error")).or_else(|| lines().next())?;
    Some(model::text::one_line(line, 200))
}
