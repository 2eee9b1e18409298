//! The interface of all drivers: the protocol of one agent, without IO.

use crate::Event;
use crate::terminals::JobError;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::ffi::OsString;

/// How a session begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opening {
    /// The id that a new session gets, for agents that take one: a UUID.
    pub new_id: String,
    /// Absolute path of the folder that the agent works in.
    pub folder: String,
    /// The earlier session to go on with.
    pub resume: Option<Resume>,
    /// The permission mode, in the agent's own words; None is the agent's default.
    pub mode: Option<String>,
    /// The model, in the agent's own words; None is the agent's default.
    pub model: Option<String>,
    /// Additions to the agent's system prompt, for this process only.
    pub system_notices: Vec<String>,
}

/// An earlier session of the agent to go on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resume {
    /// The agent's own id of the session.
    pub session: String,
    /// True to go on in a new session that begins with a copy of it.
    pub fork: bool,
}

/// A person's command for a running agent.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Says something to the agent.
    Prompt(Prompt),
    /// Stops what the agent does; it waits for the next prompt.
    Interrupt,
    /// Changes the permission mode, in the agent's own words.
    SetMode(String),
    /// Changes the model, in the agent's own words.
    SetModel(String),
    /// Answers a request of the agent, by [`crate::Ask::request`].
    Answer {
        /// Which request.
        request: String,
        /// The person's decision.
        answer: Answer,
    },
    /// Ends the session: the agent may finish what it writes, then its process ends. A joined one goes on in its terminal.
    End,
}

/// A person's prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    /// Names the prompt in [`Event::Delivered`]. A UUID, which agents that take ids of prompts get.
    pub id: String,
    /// The text, in Markdown.
    pub text: String,
    /// When the agent is to take it, if it works at the moment.
    pub when: When,
    /// Texts before it that no person said, as they are: messages of the system, and notices where the agent has no system prompt
    /// for one run. Each is a block of its own.
    pub before: Vec<String>,
    /// Notices for this run alone, for an agent with a system prompt for one run: see [`crate::programs::Program::has_system_prompt_for_runs`].
    pub system_notices: Vec<String>,
    /// Pictures that go with it, behind the text.
    pub pictures: Vec<Picture>,
}

/// A picture that goes with a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// `image/png`.
    pub mime: String,
    /// Its bytes in Base64.
    pub data: String,
}

/// When a prompt is taken by an agent that works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum When {
    /// After the turn.
    #[default]
    Queue,
    /// As soon as the agent takes it, in the middle of its turn.
    Steer,
}

/// A person's answer to a request of the agent.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The agent may do it.
    Allow {
        /// The chosen option, by [`crate::Choice::id`], where the agent gave options.
        option: Option<String>,
        /// The input to use instead of the agent's; None leaves it.
        input: Option<Map<String, Value>>,
        /// Rules to add, by their index in [`crate::Ask::suggestions`]: "always".
        rules: Vec<usize>,
    },
    /// The agent may not do it.
    Deny {
        /// The chosen option, where the agent gave options.
        option: Option<String>,
        /// Message for the agent.
        message: Option<String>,
    },
    /// Answers to the agent's questions, by their text: a label, a list of labels, or words of the person.
    Answers(Map<String, Value>),
    /// Values of a form, as its schema requires.
    Form(Map<String, Value>),
    /// Nobody will answer.
    Cancel,
}

/// Why a command isn't done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The process ended, or is about to.
    #[error("the agent has ended")]
    Ended,
    /// The agent asked no such thing, or it was answered or withdrawn before.
    #[error("the agent doesn't wait for this answer any more")]
    NoRequest,
    /// This agent can't do that. The words say what: "change its model".
    #[error("this agent can't {0}")]
    Unsupported(&'static str),
    /// It isn't possible now. The words say why.
    #[error("{0}")]
    NotNow(&'static str),
    /// The agent takes no input: what was sent to it before lies unread.
    #[error("the agent doesn't read its input")]
    Stuck,
}

/// The protocol of one agent. It has no IO: [`crate::start`] runs it on a process.
pub trait Driver: Send {
    /// Begins: what the agent is sent first.
    fn begin(&mut self, effects: &mut Effects);

    /// Takes one line of the agent's output, without its line end.
    fn line(&mut self, line: &[u8], effects: &mut Effects);

    /// Does what a person wants.
    fn command(&mut self, command: Command, effects: &mut Effects) -> Result<(), Refusal>;

    /// Takes what came of a job that it asked for with [`Effects::serve`].
    fn served(&mut self, _job: String, _result: Result<Value, JobError>, _effects: &mut Effects) {}

    /// The connection to a joined agent is lost: what was asked stays open. [`Driver::begin`] comes next.
    fn lost(&mut self, _effects: &mut Effects) {}

    /// Nothing happened for a while in a joined agent: one that waits for a prompt needn't be followed until something does.
    fn rest(&mut self, _effects: &mut Effects) {}

    /// Returns the pending reply for people: "the start", "the interruption". If there is one and the agent is silent
    /// for too long, it counts as hanging.
    fn awaits(&self) -> Option<&'static str>;

    /// Whether the agent has begun: one that is silent before is ended.
    fn has_begun(&self) -> bool;

    /// The requests of the agent that are open. They are withdrawn when it ends.
    fn open_requests(&self) -> Vec<String>;
}

/// Effects that a driver requests, in order.
#[derive(Debug, Default)]
pub struct Effects {
    pub(crate) send: VecDeque<Vec<u8>>,
    pub(crate) events: VecDeque<Event>,
    pub(crate) jobs: VecDeque<(String, Job)>,
    pub(crate) close: bool,
    pub(crate) restart: Option<Vec<OsString>>,
}

/// Something that an agent asks its client to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// Read a text file, from a line on (1 is the first), so many lines at most.
    ReadText {
        /// As the agent wrote it.
        path: String,
        /// First line.
        line: Option<usize>,
        /// Number of lines.
        limit: Option<usize>,
    },
    /// Write a text file.
    WriteText {
        /// As the agent wrote it.
        path: String,
        /// The whole content.
        content: String,
    },
    /// Run a command, or something about one.
    Terminal(crate::terminals::TerminalJob),
}

impl Effects {
    /// Sends a JSON value to the agent, as one line.
    pub fn send(&mut self, message: &Value) {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        self.send.push_back(line);
    }

    /// Reports an event.
    pub fn emit(&mut self, event: Event) {
        self.events.push_back(event);
    }

    /// Asks for a job in the session's folder. [`Driver::served`] gets its result by this name.
    pub fn serve(&mut self, name: String, job: Job) {
        self.jobs.push_back((name, job));
    }

    /// Ends the agent's input, once all is sent: it is to end itself.
    pub fn close(&mut self) {
        self.close = true;
    }

    /// Ends the process and starts it anew with other arguments. The driver begins again with it.
    pub fn restart(&mut self, arguments: Vec<OsString>) {
        self.restart = Some(arguments);
    }

    /// Takes the arguments of a restart, for tests of a driver.
    pub fn take_restart(&mut self) -> Option<Vec<OsString>> {
        self.restart.take()
    }

    /// Takes what is to be sent, for tests of a driver: one JSON value a line.
    pub fn take_sent(&mut self) -> Vec<Value> {
        self.send.drain(..).map(|line| serde_json::from_slice(&line).unwrap_or_default()).collect()
    }

    /// Takes the events, for tests of a driver.
    pub fn take_events(&mut self) -> Vec<Event> {
        self.events.drain(..).collect()
    }
}
