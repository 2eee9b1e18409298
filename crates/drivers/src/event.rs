//! Events of drivers.

use serde_json::{Map, Value};

/// Something that happened in a running agent. Positions in the transcript come from the transcript alone.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "events are few, and each is taken at once")]
pub enum Event {
    /// The session has an id. Comes again when something of it changed. Until it comes, an agent starts: see [`State::Starting`].
    Session {
        /// The agent's own id of the session.
        id: String,
        /// The agent's version.
        version: Option<String>,
        /// The model that answers.
        model: Option<String>,
        /// The permission mode.
        mode: Option<String>,
    },
    /// The modes that the agent can be switched to.
    Modes(Vec<Choice>),
    /// The models that the agent can be switched to.
    Models(Vec<Choice>),
    /// The agent's state.
    State(State),
    /// The agent took a prompt, by [`crate::Prompt::id`].
    Delivered(String),
    /// A prompt didn't reach a joined agent, and won't.
    Undelivered {
        /// Its text.
        text: String,
    },
    /// A text that grows.
    Growing {
        /// Names the text until it is over: the transcript's message has this in its id, where the agent tells it.
        key: String,
        /// Whose voice it is.
        voice: Voice,
        /// The whole text so far.
        text: String,
    },
    /// A growing text is over: the transcript has it, or it was given up.
    Grown {
        /// The key of [`Event::Growing`].
        key: String,
    },
    /// The agent waits for a person.
    Asked(Ask),
    /// The agent doesn't wait any more, by [`Ask::request`].
    Withdrawn {
        /// Which request.
        request: String,
    },
    /// Tokens of the turn so far.
    Tokens(Tokens),
    /// A turn ended.
    Turn(Turn),
    /// Something that people should read: a refusal, a line that can't be read.
    Notice(String),
    /// A message of a type that isn't known, for the server's log: newer agents have others, which do no harm.
    Unknown(String),
    /// The agent owes an answer and is silent. It may still go on.
    Silent {
        /// The pending reply.
        awaits: &'static str,
    },
    /// The process ended. Nothing comes after it.
    Ended(Exit),
}

/// State of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It begins.
    Starting,
    /// It works on a prompt.
    Working,
    /// It waits for an answer to a request.
    Waiting,
    /// It waits for a prompt.
    Idle,
}

/// Whose voice a growing text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// Text of the agent.
    Answer,
    /// Reasoning.
    Thought,
}

/// Something that a person can choose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// The agent's own word.
    pub id: String,
    /// For people.
    pub label: String,
    /// More for people.
    pub description: Option<String>,
    /// Effect of an option: `allow_once`, `allow_always`, `reject_once`, `reject_always`.
    pub kind: Option<String>,
}

/// A request of the agent that a person answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ask {
    /// The agent's own id of the request, unique within the process.
    pub request: String,
    /// Kind of the request.
    pub kind: AskKind,
    /// The agent's own id of the tool call that it is about.
    pub call_id: Option<String>,
    /// The tool's name.
    pub tool_name: String,
    /// The tool's input. Of [`AskKind::Question`], `questions` as Claude Code writes them; of [`AskKind::Form`], its JSON schema as
    /// `requestedSchema`.
    pub input: Map<String, Value>,
    /// Further content of the request, in order.
    pub content: Vec<Content>,
    /// Files and folders that the request names: `/work/src/main.rs:12`.
    pub paths: Vec<String>,
    /// One line for people, where the agent gave one.
    pub title: Option<String>,
    /// Why it is asked, where the agent says so.
    pub reason: Option<String>,
    /// Options that the agent gave. Empty where a plain yes or no is expected.
    pub options: Vec<Choice>,
    /// Rules that would answer such requests from now on.
    pub suggestions: Vec<Suggestion>,
    /// The sub-agent that asks, by its own id.
    pub sub_agent: Option<String>,
}

/// Something that a request shows to the person who decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The texts of a file before and after the change: a part of it, or the whole. A file is created without the first, and deleted
    /// without the second.
    Change {
        /// The file.
        path: String,
        /// Its text before.
        old: Option<String>,
        /// Its text after.
        new: Option<String>,
    },
    /// The change of a file as a unified diff.
    Diff {
        /// The file.
        path: String,
        /// Where it was before, if it is moved.
        moved_from: Option<String>,
        /// The hunks.
        diff: String,
    },
    /// A text. What no other kind fits is one, as JSON.
    Text(String),
}

/// Kind of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AskKind {
    /// Asks for permission to use a tool.
    #[default]
    Permission,
    /// Questions with options.
    Question,
    /// Asks for acceptance of a plan.
    Plan,
    /// Values for a form. One without fields asks for a yes or no.
    Form,
}

/// A rule that an agent suggests.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// For people: `Bash(git status)`, for this session.
    pub label: String,
    /// The agent's own value, which it gets back.
    pub rule: Value,
}

/// Tokens, as the agent counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Read, beside what came from the cache.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Written into the cache.
    pub cache_write: u64,
}

impl Tokens {
    /// Returns the sum.
    pub fn plus(self, more: Self) -> Self {
        Self {
            input: self.input.saturating_add(more.input),
            output: self.output.saturating_add(more.output),
            cache_read: self.cache_read.saturating_add(more.cache_read),
            cache_write: self.cache_write.saturating_add(more.cache_write),
        }
    }
}

/// A turn that ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// How it ended.
    pub outcome: Outcome,
    /// The agent's message about a failure.
    pub message: Option<String>,
    /// Tokens of the turn.
    pub tokens: Tokens,
    /// US dollars, where the agent counts them.
    pub cost_usd: Option<f64>,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The agent is done.
    Done,
    /// A person interrupted it.
    Interrupted,
    /// It failed.
    Failed,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    /// Its exit code, unless a signal ended it.
    pub code: Option<i32>,
    /// Why it ended.
    pub reason: Reason,
    /// The end of what it wrote to its standard error, at most 4 KiB.
    pub stderr: String,
}

/// Why a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It was asked to.
    Asked,
    /// By itself.
    Itself,
    /// It did nothing for too long instead of beginning, and was killed.
    Silent,
    /// It didn't begin within the longest time, and was killed.
    Slow,
    /// It didn't read its input, and was killed.
    Stuck,
}
