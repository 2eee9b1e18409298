//! Claude Code by stream-json: JSON lines both ways, with control requests among them.
//!
//! `stream` follows a message that is being written. `asks` reads requests for permission and writes their answers. Messages
//! come from the session's transcript; a prompt has the same UUID here and there, so that it is one message.

mod asks;
mod stream;

use crate::driver::{Answer, Command, Driver, Effects, Opening, Picture, Prompt, Refusal, Resume, When};
use crate::event::{Choice, Event, Outcome, State, Tokens, Turn};
use asks::Asks;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::OsString;
use stream::Stream;

/// Modes in which it can begin, and to which it can be switched.
pub const MODES: &[&str] = &["default", "acceptEdits", "plan", "auto", "bypassPermissions"];
/// The mode that asks nothing. Only a process that begins in it can be switched to it.
const ASKS_NOTHING: &str = "bypassPermissions";
/// Unknown types of messages that are reported, once each.
const UNKNOWN: usize = 20;

/// Returns the arguments of a process.
pub fn arguments(opening: &Opening) -> Vec<OsString> {
    let mut arguments: Vec<String> = [
        "--print",
        "--verbose",
        "--input-format=stream-json",
        "--output-format=stream-json",
        "--permission-prompt-tool=stdio",
        "--include-partial-messages",
        "--replay-user-messages",
    ]
    .map(str::to_owned)
    .into();
    // Written as one argument each: a value that begins with a dash is no option.
    let mut option = |name: &str, value: &str| arguments.push(format!("--{name}={value}"));
    // Without a mode, newer versions begin in one that asks nothing.
    option("permission-mode", opening.mode.as_deref().unwrap_or("default"));
    if let Some(model) = &opening.model {
        option("model", model);
    }
    if !opening.system_notices.is_empty() {
        option("append-system-prompt", &opening.system_notices.join("\n\n"));
    }
    match &opening.resume {
        Some(resume) if resume.fork => {
            option("resume", &resume.session);
            option("session-id", &opening.new_id);
            arguments.push("--fork-session".to_owned());
        }
        Some(resume) => option("resume", &resume.session),
        None => option("session-id", &opening.new_id),
    }
    arguments.into_iter().map(OsString::from).collect()
}

/// The protocol of one process.
pub struct Claude {
    opening: Opening,
    has_begun: bool,
    /// Control requests of ours that are unanswered, by id.
    owed: HashMap<String, Owed>,
    requests: u64,
    asks: Asks,
    stream: Stream,
    /// Prompts that wait for the end of the turn.
    queue: VecDeque<Prompt>,
    /// Prompts that were sent and not taken yet, by id.
    sent: HashSet<String>,
    state: State,
    was_interrupted: bool,
    /// The transcript has something to resume.
    has_spoken: bool,
    known: Known,
    /// Modes that the process refused.
    refused: HashSet<String>,
    unknown: HashSet<String>,
}

/// A pending reply.
enum Owed {
    Start,
    Interrupt,
    Mode(String),
    Model(String),
}

/// Known facts about the session.
#[derive(Debug, Clone, Default, PartialEq)]
struct Known {
    version: Option<String>,
    model: Option<String>,
    mode: Option<String>,
}

impl Claude {
    /// Makes the protocol of a process that was started with [`arguments`].
    pub fn new(opening: Opening) -> Self {
        let has_spoken = opening.resume.as_ref().is_some_and(|resume| !resume.fork);
        let known = Known { mode: opening.mode.clone(), model: opening.model.clone(), version: None };
        Self {
            opening,
            has_begun: false,
            owed: HashMap::new(),
            requests: 0,
            asks: Asks::default(),
            stream: Stream::default(),
            queue: VecDeque::new(),
            sent: HashSet::new(),
            state: State::Starting,
            was_interrupted: false,
            has_spoken,
            known,
            refused: HashSet::new(),
            unknown: HashSet::new(),
        }
    }

    /// The id of the session in its transcript.
    fn session(&self) -> &str {
        match &self.opening.resume {
            Some(resume) if !resume.fork => &resume.session,
            _ => &self.opening.new_id,
        }
    }

    fn control(&mut self, owed: Owed, request: &Value, effects: &mut Effects) {
        self.requests += 1;
        let id = format!("verbatim-{}", self.requests);
        effects.send(&json!({ "type": "control_request", "request_id": id, "request": request }));
        self.owed.insert(id, owed);
    }

    fn enter(&mut self, state: State, effects: &mut Effects) {
        if self.state != state {
            self.state = state;
            effects.emit(Event::State(state));
        }
    }

    fn say(&mut self, prompt: Prompt, effects: &mut Effects) {
        let Prompt { id, text, before, pictures, .. } = prompt;
        let content = if before.is_empty() && pictures.is_empty() {
            Value::from(text)
        } else {
            let texts = before.iter().chain([&text]).map(|text| json!({ "type": "text", "text": text }));
            let picture = |Picture { mime, data }: &Picture| {
                let source = json!({ "type": "base64", "media_type": mime, "data": data });
                json!({ "type": "image", "source": source })
            };
            texts.chain(pictures.iter().map(picture)).collect()
        };
        effects.send(&json!({
            "type": "user",
            "uuid": id,
            "session_id": "",
            "parent_tool_use_id": null,
            "message": { "role": "user", "content": content },
        }));
        self.has_spoken = true;
        self.sent.insert(id);
        if self.state == State::Idle {
            self.enter(State::Working, effects);
        }
    }

    /// Sends what waits, if the agent waits, too.
    fn go_on(&mut self, effects: &mut Effects) {
        if self.state != State::Idle {
            return;
        }
        match self.queue.pop_front() {
            Some(prompt) if prompt.system_notices == self.opening.system_notices => self.say(prompt, effects),
            Some(prompt) => {
                let notices = prompt.system_notices.clone();
                self.queue.push_front(prompt);
                self.restart(notices, effects);
            }
            None => {}
        }
    }

    /// A process has one system prompt: the next run, which has other notices, gets another process.
    fn restart(&mut self, system_notices: Vec<String>, effects: &mut Effects) {
        self.opening.system_notices = system_notices;
        self.opening.mode.clone_from(&self.known.mode);
        if self.has_spoken {
            self.opening.resume = Some(Resume { session: self.session().to_owned(), fork: false });
        }
        self.has_begun = false;
        self.refused.clear();
        self.owed.clear();
        self.enter(State::Starting, effects);
        effects.restart(arguments(&self.opening));
    }

    /// The state between requests for permission.
    fn settle(&mut self, effects: &mut Effects) {
        if self.state == State::Waiting && self.asks.is_empty() {
            self.enter(State::Working, effects);
        }
    }

    fn learn(&mut self, change: impl FnOnce(&mut Known), effects: &mut Effects) {
        let before = self.known.clone();
        change(&mut self.known);
        if self.known != before {
            self.report(effects);
        }
    }

    fn report(&self, effects: &mut Effects) {
        let Known { version, model, mode } = self.known.clone();
        effects.emit(Event::Session { id: self.session().to_owned(), version, model, mode });
    }

    fn answered(&mut self, response: &Value, effects: &mut Effects) {
        let id = text(response, "request_id").unwrap_or_default();
        let Some(owed) = self.owed.remove(id) else { return };
        if text(response, "subtype") != Some("success") {
            let error = text(response, "error").unwrap_or("it gave no reason");
            let what = match owed {
                Owed::Start => "The agent can't begin",
                Owed::Interrupt => "The agent can't be interrupted",
                Owed::Mode(_) => "The mode wasn't changed",
                Owed::Model(_) => "The model wasn't changed",
            };
            effects.emit(Event::Notice(format!("{what}: {error}")));
            match owed {
                Owed::Start => effects.close(),
                Owed::Mode(mode) => {
                    self.refused.insert(mode);
                    self.offer_modes(effects);
                }
                Owed::Interrupt | Owed::Model(_) => {}
            }
            return;
        }
        match owed {
            Owed::Start => self.begun(response.get("response").unwrap_or(&Value::Null), effects),
            Owed::Interrupt => {}
            Owed::Mode(mode) => self.learn(|known| known.mode = Some(mode), effects),
            Owed::Model(model) => {
                self.opening.model = Some(model.clone());
                self.learn(|known| known.model = Some(model), effects);
            }
        }
    }

    fn begun(&mut self, setup: &Value, effects: &mut Effects) {
        self.has_begun = true;
        self.report(effects);
        self.offer_modes(effects);
        let models = setup.get("models").and_then(Value::as_array);
        let models = models.into_iter().flatten().filter_map(|model| {
            let id = text(model, "value")?.to_owned();
            let label = text(model, "displayName").unwrap_or(&id).to_owned();
            let description = text(model, "description").map(str::to_owned);
            Some(Choice { id, label, description, kind: None })
        });
        effects.emit(Event::Models(models.collect()));
        self.enter(State::Idle, effects);
        self.go_on(effects);
    }

    /// Reports the modes that this process can be switched to.
    fn offer_modes(&self, effects: &mut Effects) {
        let asks_nothing = self.opening.mode.as_deref() == Some(ASKS_NOTHING);
        let can = |mode: &&&str| !self.refused.contains(**mode) && (asks_nothing || **mode != ASKS_NOTHING);
        let choice = |mode: &&str| Choice { id: (*mode).to_owned(), label: mode_label(mode), ..Choice::default() };
        effects.emit(Event::Modes(MODES.iter().filter(can).map(choice).collect()));
    }

    /// A control request of the agent.
    fn requested(&mut self, message: &Value, effects: &mut Effects) {
        let Some(id) = text(message, "request_id") else { return };
        let request = message.get("request").unwrap_or(&Value::Null);
        match text(request, "subtype") {
            Some("can_use_tool") => {
                let ask = self.asks.open(id, request);
                effects.emit(Event::Asked(ask));
                self.enter(State::Waiting, effects);
            }
            Some("elicitation") if text(request, "mode") != Some("url") => {
                let ask = self.asks.open_form(id, request);
                effects.emit(Event::Asked(ask));
                self.enter(State::Waiting, effects);
            }
            other => {
                let error = format!("`{}` isn't supported", other.unwrap_or_default());
                let response = json!({ "subtype": "error", "request_id": id, "error": error });
                effects.send(&json!({ "type": "control_response", "response": response }));
            }
        }
    }

    fn system(&mut self, message: &Value, effects: &mut Effects) {
        let said = |key: &str| text(message, key).map(str::to_owned);
        match text(message, "subtype") {
            Some("init") => {
                let (version, model, mode) = (said("claude_code_version"), said("model"), said("permissionMode"));
                self.learn(
                    |known| {
                        known.version = version.or(known.version.take());
                        known.model = model.or(known.model.take());
                        known.mode = mode.or(known.mode.take());
                    },
                    effects,
                );
            }
            Some("status") => {
                if let Some(mode) = said("permissionMode") {
                    self.learn(|known| known.mode = Some(mode), effects);
                }
            }
            // The rest is in the transcript, or of no use to people.
            _ => {}
        }
    }

    fn ended_turn(&mut self, message: &Value, effects: &mut Effects) {
        for key in self.stream.give_up() {
            effects.emit(Event::Grown { key });
        }
        let failed = message.get("is_error").and_then(Value::as_bool).unwrap_or(false);
        let was_interrupted = std::mem::take(&mut self.was_interrupted);
        // It doesn't wait for answers any more, whether or not it says so.
        let over = if was_interrupted { self.asks.of_turn() } else { Vec::new() };
        for request in over {
            self.asks.withdraw(&request);
            effects.emit(Event::Withdrawn { request });
        }
        let outcome = match (failed, was_interrupted) {
            (_, true) => Outcome::Interrupted,
            (true, false) => Outcome::Failed,
            (false, false) => Outcome::Done,
        };
        let said = text(message, "result").map(str::to_owned);
        effects.emit(Event::Turn(Turn {
            outcome,
            message: said.filter(|_| outcome == Outcome::Failed),
            tokens: message.get("usage").map(tokens).unwrap_or_default(),
            cost_usd: message.get("total_cost_usd").and_then(Value::as_f64),
        }));
        // A prompt that came too late for the turn makes the next one.
        self.enter(if self.sent.is_empty() { State::Idle } else { State::Working }, effects);
        self.go_on(effects);
    }
}

impl Driver for Claude {
    fn begin(&mut self, effects: &mut Effects) {
        // From about 2.1.330 on, a session that is resumed has the system prompt that was recorded at its first request, with the notices
        // of that run. Versions before don't know the field.
        let start = json!({ "subtype": "initialize", "systemPromptSnapshot": false });
        self.control(Owed::Start, &start, effects);
    }

    fn line(&mut self, line: &[u8], effects: &mut Effects) {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            let shown: String = String::from_utf8_lossy(line).chars().take(200).collect();
            return effects.emit(Event::Notice(format!("A line of the agent isn't JSON: {shown}")));
        };
        match text(&message, "type").unwrap_or_default() {
            "control_response" => self.answered(message.get("response").unwrap_or(&Value::Null), effects),
            "control_request" => self.requested(&message, effects),
            "control_cancel_request" => {
                if let Some(request) = text(&message, "request_id")
                    && self.asks.withdraw(request)
                {
                    effects.emit(Event::Withdrawn { request: request.to_owned() });
                    self.settle(effects);
                }
            }
            "system" => self.system(&message, effects),
            "stream_event" => self.stream.event(&message, effects),
            "user" => {
                // Its own prompts come back once it takes them.
                if let Some(id) = text(&message, "uuid")
                    && self.sent.remove(id)
                {
                    effects.emit(Event::Delivered(id.to_owned()));
                    if self.state == State::Idle {
                        self.enter(State::Working, effects);
                    }
                }
            }
            "result" => self.ended_turn(&message, effects),
            "assistant"
            | "tool_progress"
            | "tool_use_summary"
            | "keep_alive"
            | "rate_limit_event"
            | "auth_status"
            | "prompt_suggestion"
            | "streamlined_text"
            | "streamlined_tool_use_summary" => {}
            unknown => {
                let is_new = self.unknown.len() < UNKNOWN && self.unknown.insert(unknown.to_owned());
                if is_new {
                    effects.emit(Event::Unknown(unknown.to_owned()));
                }
            }
        }
    }

    fn command(&mut self, command: Command, effects: &mut Effects) -> Result<(), Refusal> {
        match command {
            Command::Prompt(prompt) if prompt.when == When::Steer && self.has_begun => self.say(prompt, effects),
            Command::Prompt(prompt) => {
                self.queue.push_back(prompt);
                self.go_on(effects);
            }
            Command::Interrupt => {
                if !matches!(self.state, State::Working | State::Waiting) {
                    return Err(Refusal::NotNow("the agent does nothing that could be interrupted"));
                }
                self.was_interrupted = true;
                self.control(Owed::Interrupt, &json!({ "subtype": "interrupt" }), effects);
            }
            Command::SetMode(mode) => {
                let request = json!({ "subtype": "set_permission_mode", "mode": mode });
                self.control(Owed::Mode(mode), &request, effects);
            }
            Command::SetModel(model) => {
                let request = json!({ "subtype": "set_model", "model": model });
                self.control(Owed::Model(model), &request, effects);
            }
            Command::Answer { request, answer } => {
                let response = self.asks.answer(&request, answer).ok_or(Refusal::NoRequest)?;
                effects.send(&response);
                self.settle(effects);
            }
            Command::End => {
                for request in self.asks.requests() {
                    if let Some(response) = self.asks.answer(&request, Answer::Cancel) {
                        effects.send(&response);
                        effects.emit(Event::Withdrawn { request });
                    }
                }
                effects.close();
            }
        }
        Ok(())
    }

    fn awaits(&self) -> Option<&'static str> {
        let owed = self.owed.values().next()?;
        Some(match owed {
            Owed::Start => "the start",
            Owed::Interrupt => "the interruption",
            Owed::Mode(_) => "the change of the mode",
            Owed::Model(_) => "the change of the model",
        })
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn open_requests(&self) -> Vec<String> {
        self.asks.requests()
    }
}

/// The words for a mode.
fn mode_label(mode: &str) -> String {
    match mode {
        "default" => "Ask before changes",
        "acceptEdits" => "Accept edits",
        "plan" => "Plan only",
        "auto" => "Decide by itself",
        "bypassPermissions" => "Ask nothing",
        other => other,
    }
    .to_owned()
}

fn tokens(usage: &Value) -> Tokens {
    let count = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
    Tokens {
        input: count("input_tokens"),
        output: count("output_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

fn object(value: &Value, key: &str) -> Map<String, Value> {
    value.get(key).and_then(Value::as_object).cloned().unwrap_or_default()
}
