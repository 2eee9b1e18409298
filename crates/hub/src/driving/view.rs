//! What a page shows of a running agent.

use api::driving::{AgentChoice, AgentState, GrowingText};
use drivers::{Choice, Event, State, Tokens, Voice};

/// Notices that are kept.
const NOTICES: usize = 20;
/// Bytes of a growing text that are shown: its end.
const SHOWN: usize = 16 << 10;

/// What is known of an agent beside its transcript.
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
    pub notices: Vec<String>,
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
            notices: Vec::new(),
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

    /// Notes something for people.
    pub fn note(&mut self, notice: String) {
        if self.notices.len() >= NOTICES {
            self.notices.remove(0);
        }
        self.notices.push(notice);
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
