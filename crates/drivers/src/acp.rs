//! Agents of the Agent Client Protocol, version 1: JSON-RPC on their standard streams.
//!
//! - `opening`: from the first line to a session that takes prompts. `settings`: its modes and models.
//! - `turns`: prompts, one at a time, and their ends. `asks`: the agent's requests for permission. `shown`: their
//!   content.
//! - `growing`: texts before the agent's own transcript has them.
//! - `services`: files that the agent reads and writes through us, and commands that it runs.
//!
//! Our messages are made of the types of the crate `agent-client-protocol-schema`. Messages of agents are read field by
//! field, so that an unknown update or a later version of the protocol does no harm. For an agent without a transcript
//! of its own, the log of both sides' lines ([`crate::log`]) is one: the reader of the crate `agents` makes all
//! messages from it.

mod asks;
mod growing;
mod opening;
mod services;
mod settings;
mod shown;
mod turns;

use crate::rpc::{self, BadLines, Pending, RpcError, filled};
use crate::{Command, Driver, Effects, Event, JobError, Opening, Prompt, Refusal, State, When};
use asks::{Calls, OpenAsk};
use growing::Growing;
use serde::Serialize;
use serde_json::Value;
use settings::Settings;
use std::collections::{BTreeMap, HashMap, VecDeque};
use turns::Running;

/// How one agent differs from what the protocol says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Habits {
    /// True if it writes a transcript of its own. Else both sides' lines are one, in which each piece of a text is.
    pub has_transcript: bool,
    /// True if it may read and write files through us.
    pub offers_files: bool,
    /// True if it may run commands through us.
    pub offers_terminals: bool,
    /// The mode in which it asks before it changes anything, where it doesn't start in it.
    pub asking_mode: Option<&'static str>,
    /// The command that a person runs in a terminal to log in.
    pub login: Option<&'static str>,
}

/// Drives one session of an agent.
pub struct Acp {
    opening: Opening,
    habits: Habits,
    pending: Pending<Purpose>,
    bad_lines: BadLines,
    /// None until it is open.
    session: Option<String>,
    version: Option<String>,
    /// The agent's capabilities, as it reports them.
    capabilities: Value,
    /// It takes prompts while it works, by an extension of the protocol.
    steers_by_extension: bool,
    settings: Settings,
    running: Option<Running>,
    queue: VecDeque<Prompt>,
    calls: Calls,
    growing: Option<Growing>,
    /// Texts that have grown.
    texts: usize,
    /// By the request's id.
    asks: BTreeMap<String, OpenAsk>,
    /// Requests that are being served, by the name of the job: their ids.
    services: HashMap<String, Value>,
    /// Cost of the session at the start of the turn, and now, in US dollars.
    cost: (f64, f64),
}

/// Purpose of a request.
#[derive(Debug)]
enum Purpose {
    Initialize,
    /// Begins the session, or goes on with it: this one.
    Open(Option<String>),
    /// Goes on with a session, without what was said in it.
    Resume(String),
    Mode(String),
    Model(String),
    Prompt,
    Steer(Box<Prompt>),
}

impl Acp {
    /// Creates the driver of a new process.
    pub fn new(opening: Opening, habits: Habits) -> Self {
        Self {
            opening,
            habits,
            pending: Pending::default(),
            bad_lines: BadLines::default(),
            session: None,
            version: None,
            capabilities: Value::Null,
            steers_by_extension: false,
            settings: Settings::default(),
            running: None,
            queue: VecDeque::new(),
            calls: Calls::default(),
            growing: None,
            texts: 0,
            asks: BTreeMap::new(),
            services: HashMap::new(),
            cost: (0.0, 0.0),
        }
    }

    fn request(&mut self, method: &str, params: impl Serialize, purpose: Purpose, effects: &mut Effects) {
        effects.send(&self.pending.request(method, value(params), purpose));
    }

    /// The session takes prompts.
    fn is_ready(&self) -> bool {
        let starts = |purpose: &Purpose| !matches!(purpose, Purpose::Prompt | Purpose::Steer(_));
        self.session.is_some() && !self.pending.waiting().any(starts)
    }

    fn answered(&mut self, id: u64, result: Result<Value, RpcError>, effects: &mut Effects) {
        let Some(purpose) = self.pending.take(id) else {
            let words = format!("The agent answered request {id}, which was answered before or never sent");
            return effects.emit(Event::Notice(words));
        };
        match purpose {
            Purpose::Initialize => self.initialized(result, effects),
            Purpose::Open(session) => self.opened(session, result, effects),
            Purpose::Resume(session) => self.resumed(session, result, effects),
            Purpose::Mode(_) | Purpose::Model(_) => self.set(purpose, result, effects),
            Purpose::Prompt => self.turn_ended(result, effects),
            Purpose::Steer(prompt) => self.steered(*prompt, result, effects),
        }
    }

    fn asked(&mut self, id: Value, method: &str, params: &Value, effects: &mut Effects) {
        let named = params.get("sessionId").and_then(Value::as_str);
        if named.is_some() && named != self.session.as_deref() {
            let words =
                format!("`sessionId`: expected the session of this process; got `{}`", named.unwrap_or_default());
            return effects.send(&rpc::answer(&id, Err(RpcError::new(rpc::INVALID_PARAMS, words))));
        }
        if method == "session/request_permission" {
            self.ask(id, params, effects);
        } else if method == "elicitation/create" && filled(params, "mode").as_deref() == Some("form") {
            self.ask_form(id, params, effects);
        } else if !self.serve(&id, method, params, effects) {
            let words = format!("`{method}` is not offered by this client");
            effects.send(&rpc::answer(&id, Err(RpcError::new(rpc::METHOD_NOT_FOUND, words))));
        }
    }

    fn told(&mut self, method: &str, params: &Value, effects: &mut Effects) {
        match method {
            "session/update" if params.get("sessionId").and_then(Value::as_str) == self.session.as_deref() => {
                if let Some(update) = params.get("update") {
                    self.updated(update, effects);
                }
            }
            "$/cancel_request" => {
                let id = params.get("requestId").or_else(|| params.get("id"));
                if let Some(request) = id.map(rpc::key).filter(|request| self.asks.remove(request).is_some()) {
                    effects.emit(Event::Withdrawn { request });
                    self.report_state(effects);
                }
            }
            // The transcript has it.
            _ => {}
        }
    }

    fn state(&self) -> State {
        if !self.is_ready() && self.running.is_none() {
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

impl Driver for Acp {
    fn begin(&mut self, effects: &mut Effects) {
        self.initialize(effects);
    }

    fn line(&mut self, line: &[u8], effects: &mut Effects) {
        match rpc::parse(line) {
            Ok(rpc::Message::Request { id, method, params }) => self.asked(id, &method, &params, effects),
            Ok(rpc::Message::Notification { method, params }) => self.told(&method, &params, effects),
            Ok(rpc::Message::Answer { id, result }) => self.answered(id, result, effects),
            Err(words) => self.bad_lines.report("the agent", &words, effects),
        }
    }

    fn command(&mut self, command: Command, effects: &mut Effects) -> Result<(), Refusal> {
        match command {
            Command::Prompt(prompt) if prompt.when == When::Steer => {
                self.steer(prompt, effects);
                Ok(())
            }
            Command::Prompt(prompt) => {
                self.queue.push_back(prompt);
                self.next_prompt(effects);
                Ok(())
            }
            Command::Interrupt => self.interrupt(effects),
            Command::SetMode(mode) => self.set_mode(mode, effects),
            Command::SetModel(model) => self.set_model(model, effects),
            Command::Answer { request, answer } => self.answer(&request, answer, effects),
            Command::End => {
                if self.running.is_some() {
                    self.interrupt(effects)?;
                }
                Ok(())
            }
        }
    }

    fn served(&mut self, job: String, result: Result<Value, JobError>, effects: &mut Effects) {
        if let Some(id) = self.services.remove(&job) {
            let code = |error: &JobError| if error.is_missing { rpc::NOT_FOUND } else { rpc::REFUSED };
            let result = result.map_err(|error| RpcError::new(code(&error), error.message));
            effects.send(&rpc::answer(&id, result));
        }
    }

    fn awaits(&self) -> Option<&'static str> {
        let of = |purpose: &Purpose| match purpose {
            Purpose::Initialize | Purpose::Open(_) | Purpose::Resume(_) => Some("the start"),
            Purpose::Mode(_) => Some("the change of mode"),
            Purpose::Model(_) => Some("the change of model"),
            Purpose::Steer(_) => Some("a prompt"),
            Purpose::Prompt => None,
        };
        let interrupted = self.running.as_ref().is_some_and(|running| running.is_interrupted);
        self.pending.waiting().find_map(of).or_else(|| interrupted.then_some("the interruption"))
    }

    fn has_begun(&self) -> bool {
        self.session.is_some()
    }

    fn open_requests(&self) -> Vec<String> {
        self.asks.keys().cloned().collect()
    }
}

/// A value of the protocol's own types as JSON.
fn value(of: impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}
