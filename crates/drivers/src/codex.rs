//! Codex, by its app-server: JSON-RPC on the standard streams of `codex app-server`, without the field `jsonrpc`, which it
//! ignores.
//!
//! - `opening`: from the first line to a thread that takes turns. `modes`: what it may do without asking.
//! - `turns`: prompts, steering, interruptions, and what the agent tells of them. `asks`: what it wants to be allowed or told.
//! - `joined`: a thread of a terminal, whose background server speaks the same protocol.
//!
//! Codex writes its own transcript, a rollout, from which the reader of the crate `agents` makes all messages. A prompt
//! stands in it with the id that we gave it (`client_id`); items have the same ids there as here.

mod asks;
pub(crate) mod joined;
mod modes;
mod opening;
mod shown;
mod turns;

use crate::rpc::{self, BadLines, Pending, RpcError};
use crate::{Command, Driver, Effects, Event, Opening, Prompt, Refusal, Resume, State, Tokens, When};
use asks::OpenAsk;
use joined::Joined;
use modes::Mode;
pub use modes::NAMES as MODE_NAMES;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::Path;
use turns::Running;

/// Drives one thread of Codex.
pub struct Codex {
    opening: Opening,
    /// None if the process is ours.
    joined: Option<Joined>,
    pending: Pending<Purpose>,
    bad_lines: BadLines,
    /// None until it is open.
    thread: Option<String>,
    version: Option<String>,
    model: Option<String>,
    mode: Option<&'static Mode>,
    /// Changes for the next turn.
    change: TurnSettings,
    running: Option<Running>,
    queue: VecDeque<Prompt>,
    /// By the request's id.
    asks: BTreeMap<String, OpenAsk>,
    /// Growing texts, by their items.
    growing: HashMap<String, String>,
    /// Changes of files and commands that have begun, by their items: what a request to allow them is about.
    proposed: HashMap<String, Value>,
    /// Tokens of the turn so far.
    tokens: Tokens,
    /// Tokens of the thread, by which a repeated count is known.
    total: Option<u64>,
}

/// Settings that go with the next turn.
#[derive(Debug, Default)]
struct TurnSettings {
    mode: Option<&'static Mode>,
    model: Option<String>,
}

/// Purpose of a request.
#[derive(Debug)]
enum Purpose {
    Initialize,
    Open,
    /// Asks which threads are open in the terminals.
    Loaded,
    /// Stops following a thread that rests.
    Rest,
    Models,
    /// Begins a turn with the prompt.
    Turn(Box<Prompt>),
    /// Adds the prompt to the turn.
    Steer(Box<Prompt>),
    Interrupt,
}

impl Codex {
    /// Creates the driver of a new process.
    pub fn new(opening: Opening) -> Self {
        Self {
            opening,
            joined: None,
            pending: Pending::default(),
            bad_lines: BadLines::default(),
            thread: None,
            version: None,
            model: None,
            mode: None,
            change: TurnSettings::default(),
            running: None,
            queue: VecDeque::new(),
            asks: BTreeMap::new(),
            growing: HashMap::new(),
            proposed: HashMap::new(),
            tokens: Tokens::default(),
            total: None,
        }
    }

    /// Creates the driver of a thread of a terminal. `home` is the folder of Codex that it is expected to work with.
    pub fn joining(home: &Path, thread: &str) -> Self {
        let resume = Some(Resume { session: thread.to_owned(), fork: false });
        let joined = Some(Joined::new(home));
        Self { joined, ..Self::new(Opening { resume, ..Opening::default() }) }
    }

    fn request(&mut self, method: &str, params: Value, purpose: Purpose, effects: &mut Effects) {
        effects.send(&self.pending.request(method, params, purpose));
    }

    fn answered(&mut self, id: u64, result: Result<Value, RpcError>, effects: &mut Effects) {
        let Some(purpose) = self.pending.take(id) else {
            let words = format!("Codex answered request {id}, which was answered before or never sent");
            return effects.emit(Event::Notice(words));
        };
        match purpose {
            Purpose::Initialize if self.joined.is_some() => self.greeted(result, effects),
            Purpose::Initialize => self.initialized(result, effects),
            Purpose::Loaded => self.listed(result, effects),
            Purpose::Open => self.opened(result, effects),
            Purpose::Rest => {}
            Purpose::Models => opening::models(result, effects),
            Purpose::Turn(prompt) => {
                if result.is_err() && self.joined.is_some() {
                    effects.emit(Event::Undelivered { text: prompt.text });
                }
                self.turn_accepted(result, effects);
            }
            Purpose::Steer(prompt) => self.steered(*prompt, result, effects),
            Purpose::Interrupt => {
                if let Err(error) = result {
                    effects.emit(Event::Notice(format!("Codex didn't stop: {error}")));
                }
            }
        }
    }

    fn state(&self) -> State {
        if self.thread.is_none() {
            State::Starting
        } else if !self.asks.is_empty() {
            State::Waiting
        } else if self.running.is_some() {
            State::Working
        } else {
            State::Idle
        }
    }

    fn report_state(&self, effects: &mut Effects) {
        effects.emit(Event::State(self.state()));
    }
}

impl Driver for Codex {
    fn begin(&mut self, effects: &mut Effects) {
        self.initialize(effects);
    }

    fn line(&mut self, line: &[u8], effects: &mut Effects) {
        match rpc::parse(line) {
            Ok(rpc::Message::Request { id, method, params }) => self.asked(id, &method, &params, effects),
            Ok(rpc::Message::Notification { method, params }) => self.told(&method, &params, effects),
            Ok(rpc::Message::Answer { id, result }) => self.answered(id, result, effects),
            Err(words) => self.bad_lines.report("Codex", &words, effects),
        }
    }

    fn command(&mut self, command: Command, effects: &mut Effects) -> Result<(), Refusal> {
        match command {
            Command::Prompt(prompt) if prompt.when == When::Steer => self.steer(prompt, effects),
            Command::Prompt(prompt) => {
                self.queue.push_back(prompt);
                self.next_prompt(effects);
            }
            Command::Interrupt => return self.interrupt(effects),
            Command::SetMode(_) | Command::SetModel(_) if self.joined.is_some() => {
                return Err(Refusal::Unsupported("change its settings from here: change them in its terminal"));
            }
            Command::SetMode(mode) => return self.set_mode(&mode, effects),
            Command::SetModel(model) => {
                self.change.model = Some(model.clone());
                self.model = Some(model);
                self.report_session(effects);
            }
            Command::Answer { request, answer } => return self.answer(&request, answer, effects),
            Command::End if self.joined.is_some() => self.leave(effects),
            Command::End if self.running.is_some() => return self.interrupt(effects),
            Command::End => {}
        }
        Ok(())
    }

    fn lost(&mut self, effects: &mut Effects) {
        self.lose(effects);
    }

    fn rest(&mut self, effects: &mut Effects) {
        self.stop_following(effects);
    }

    fn awaits(&self) -> Option<&'static str> {
        let of = |purpose: &Purpose| match purpose {
            Purpose::Initialize | Purpose::Loaded | Purpose::Open => Some("the start"),
            Purpose::Turn(_) | Purpose::Steer(_) => Some("a prompt"),
            Purpose::Interrupt => Some("the interruption"),
            Purpose::Models | Purpose::Rest => None,
        };
        let interrupted = self.running.as_ref().is_some_and(|running| running.is_interrupted);
        self.pending.waiting().find_map(of).or_else(|| interrupted.then_some("the interruption"))
    }

    fn has_begun(&self) -> bool {
        self.thread.is_some()
    }

    fn open_requests(&self) -> Vec<String> {
        self.asks.keys().cloned().collect()
    }
}
