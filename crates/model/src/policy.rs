//! The policy: role and type of a message determine its context, display, memory and text in channels.
//!
//! [`policy`] is a pure function. The first matching row applies: special rows come before general ones, and the last
//! row matches everything.

mod channel;
mod embed;
mod for_model;
mod marks;

pub use crate::voice::voice;
pub use channel::{BotIdentity, ChannelView, Verbosity, channel_text, decided_by};
pub use embed::{remembers, should_embed};
pub use for_model::{may_reach_model, model_may_find, model_may_read, prompt_holds};
pub use marks::{mark, sent_by};

use crate::routing::Mark;
use crate::{Context, Draft, MessageType, Part, Provenance, Role, Status, words};
use serde_json::{Map, Value};

words! {
    /// How the dashboard shows a message.
    Display {
        /// In full.
        Shown = "shown",
        /// As one line, until it is opened.
        Collapsed = "collapsed",
        /// Only with the dev toggle.
        Dev = "dev",
    }
    /// Side of the transcript.
    Side {
        /// The agent's side.
        Left = "left",
        /// The person's side.
        Right = "right",
        /// Neither side: from Verbatim, or a task.
        Centre = "centre",
    }
    /// Style of a message.
    Look {
        /// Only the component of its type.
        Plain = "plain",
        /// In one line: a reply, a tick.
        Compact = "compact",
        /// A control word that was executed.
        Dimmed = "dimmed",
        /// With a frame: a diff, a checklist.
        Card = "card",
        /// With buttons to answer it.
        Buttons = "buttons",
        /// Last line of a run.
        Footer = "footer",
        /// From Verbatim itself.
        House = "house",
        /// Raw reasoning.
        Thought = "thought",
        /// Context that the agent was given, or bookkeeping.
        System = "system",
        /// A person's message that an agent's key passed on.
        PassedOn = "passed_on",
        /// An agent's message that imitates the host or the system, under the agent's own name.
        Notice = "notice",
        /// Output of a command whose exit code is unknown.
        Accent = "accent",
        /// Output of a command that succeeded.
        Success = "success",
        /// Output of a command that failed.
        Failure = "failure",
    }
    /// Whether a message can be remembered beyond its session. Ordered.
    Memory {
        /// Never, even if the sender requests it.
        Never = "never",
        /// Only if the sender requests it.
        No = "no",
        /// If the tool is on a list.
        OptIn = "opt_in",
        /// Unless the sender requests otherwise.
        Yes = "yes",
    }
    /// Text of a message in other channels. See [`channel_text`].
    Channel {
        /// Nothing.
        Nothing = "nothing",
        /// A person's message, with their name.
        Person = "person",
        /// A person's message that an agent's key passed on.
        PassedOn = "passed_on",
        /// Names of files, and their caption.
        Upload = "upload",
        /// The chosen or typed answer.
        Reply = "reply",
        /// Ticked items.
        Tick = "tick",
        /// The agent's text.
        Answer = "answer",
        /// Only in verbose channels.
        Reasoning = "reasoning",
        /// The call in one line, and its output, cut after 4,000 characters.
        Tool = "tool",
        /// Each edit in one line, with its line counts.
        Edit = "edit",
        /// `3/7`: how many items are done.
        Checklist = "checklist",
        /// The output, cut after 4,000 characters, with a mark for success or failure.
        CommandOutput = "command_output",
        /// The content, with the mark of the system.
        System = "system",
        /// The content as a scheduled task.
        Task = "task",
        /// The content, with Verbatim's mark.
        House = "house",
        /// The request, with numbered options and instructions for answering.
        Ask = "ask",
        /// Only in verbose channels.
        RunFooter = "run_footer",
        /// One line.
        Summary = "summary",
        /// The summary, once it no longer changes.
        SummaryAtEnd = "summary_at_end",
        /// The unchanged content.
        Content = "content",
    }
}

/// Input of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself, and a message may have any of them")]
pub struct Facts<'a> {
    /// Role that the message claims.
    pub role: Role,
    /// Message type: `TEXT`.
    pub message_type: &'a str,
    /// Sender; some senders of older products have a meaning.
    pub sender: &'a str,
    /// Relation to a tool call.
    pub part: Part,
    /// Who wrote it to the store. Determines whether `role` and `sender` are trusted.
    pub provenance: Provenance,
    /// A control word (approve, reset, pause) that was executed.
    pub consumed: bool,
    /// A control word with text for the agent (btw, todo).
    pub aside: bool,
    /// An approval that is no longer open.
    pub answered: bool,
    /// A scheduled task or a handoff.
    pub task: bool,
    /// Exit code of a command: the extra `exit_code`, otherwise the payload's; None if unknown.
    pub exit_code: Option<i64>,
    /// Context to which the sender lowered it.
    pub asked_context: Option<Context>,
}

impl<'a> Facts<'a> {
    /// Makes the facts of an ordinary message, read from a transcript.
    pub fn new(role: Role, message_type: &'a str, sender: &'a str) -> Self {
        Self {
            role,
            message_type,
            sender,
            part: Part::Whole,
            provenance: Provenance::Reader,
            consumed: false,
            aside: false,
            answered: false,
            task: false,
            exit_code: None,
            asked_context: None,
        }
    }
}

/// Treatment of a message: one row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Name of the row.
    pub row: &'static str,
    /// Whether a prompt can contain it, at most as the sender requested.
    pub context: Context,
    /// Whether it is shown in full, folded, or behind the dev toggle.
    pub display: Display,
    /// Side of the transcript.
    pub side: Side,
    /// Style.
    pub look: Look,
    /// Whether it can be remembered beyond its session.
    pub memory: Memory,
    /// Text in other channels.
    pub channel: Channel,
}

/// Returns how a message is treated. The context is at most what its sender requested.
///
/// ```
/// use model::policy::{Display, Facts, policy};
/// use model::{Context, Role};
///
/// let thought = policy(&Facts::new(Role::Model, "TEXT", "bot"));
/// assert_eq!((thought.context, thought.display), (Context::None, Display::Dev));
/// ```
pub fn policy(facts: &Facts<'_>) -> Policy {
    let row = row(facts);
    Policy { context: row.context.min(facts.asked_context.unwrap_or(Context::Turn)), ..row }
}

/// Returns the facts of a message, new or stored. Its `context` is at most what its sender requested.
pub fn facts_of(draft: &Draft) -> Facts<'_> {
    let metadata = draft.metadata.as_ref();
    let payload = metadata.and_then(|metadata| metadata.get("payload")?.as_object());
    let extra = |key: &str| metadata.and_then(|metadata| metadata.get(key));
    let facts = draft.facts();
    let is_set = |value: &Value| value.as_bool().unwrap_or(value.is_object());
    let fact = |key: &str| facts.and_then(|facts| facts.get(key)).is_some_and(is_set);
    // Only an owner posts with the role `system`: the older product's tasks come that way.
    let task = || draft.role == Role::System && extra("task").is_some_and(is_set);
    let mark = Mark::of(draft);
    let exit_code = |map: Option<&Map<String, Value>>| map.and_then(|map| map.get("exit_code")?.as_i64());
    let state = payload.and_then(|payload| payload.get("state")?.as_str());
    Facts {
        role: draft.role,
        message_type: draft.message_type(),
        sender: &draft.sender,
        part: draft.part,
        provenance: draft.provenance,
        consumed: fact("consumed") || mark.is_consumed(),
        aside: mark.is_aside(),
        answered: draft.message_type() == MessageType::Approval && state.is_some_and(|state| state != "open"),
        task: fact("task") || task(),
        exit_code: exit_code(metadata).or_else(|| exit_code(payload)),
        asked_context: Some(draft.context),
    }
}

/// Returns the display of a message.
pub fn display(draft: &Draft) -> Display {
    policy(&facts_of(draft)).display
}

/// Returns true if a message wakes a waiting agent: an addressed message of a person, or a task. A notice alone
/// doesn't.
pub fn wakes(draft: &Draft) -> bool {
    let mark = Mark::of(draft);
    match draft.role {
        Role::User => mark.is_to_agent(),
        _ => facts_of(draft).task,
    }
}

fn row(facts: &Facts<'_>) -> Policy {
    use Context::{Ephemeral, None, Turn};
    use Display::{Collapsed, Dev, Shown};
    use Look::{Accent, Buttons, Card, Compact, Dimmed, Footer, House, Notice, PassedOn, Plain, Thought};
    use Memory::{Never, No, OptIn, Yes};
    use MessageType::{Action, Approval, Chart, CodeEdit, CodeReview, Error, File, Progress, Text, Todo, ToolCall};
    use Role::{Assistant, Host, Model, System, Tool, User};
    use Side::{Centre, Left, Right};

    let kind = MessageType::parse(facts.message_type);
    let derived = facts.part == Part::Derived;
    let if_whole = if derived { None } else { Turn };
    // Whatever a key posts as `user` or under a sender's word must not look like a person, the host or the system.
    if facts.role == User && facts.provenance == Provenance::Key {
        let context = if borrowed_voice(facts).is_some() { None } else { Turn };
        return entry("Passed on by an agent", context, Shown, (Left, PassedOn), Never, Channel::PassedOn);
    }
    if facts.role == Assistant && kind == Some(Text) && borrowed_voice(facts).is_some() {
        return entry("Agent's own notice", None, Shown, (Left, Notice), Never, Channel::Answer);
    }
    match (facts.role, kind) {
        (User, Some(Text)) if facts.consumed => {
            entry("Control word", None, Shown, (Right, Dimmed), No, Channel::Person)
        }
        (User, Some(Text)) if facts.aside => entry("Aside", Turn, Shown, (Right, Dimmed), No, Channel::Person),
        (User, Some(Text)) if facts.task => entry("Scheduled prompt", Turn, Shown, (Centre, Plain), No, Channel::Task),
        (User, Some(Text)) => entry("Human message", Turn, Shown, (Right, Plain), Yes, Channel::Person),
        (User, Some(File)) => entry("Upload", Turn, Shown, (Right, Plain), No, Channel::Upload),
        (User, Some(Action)) => entry("Button or form reply", Turn, Shown, (Right, Compact), No, Channel::Reply),
        (User, Some(Todo)) => entry("Tick in a list", Turn, Shown, (Right, Compact), No, Channel::Tick),

        (Assistant, Some(Text)) => entry("Answer", Turn, Shown, (Left, Plain), No, Channel::Answer),
        (Assistant, Some(ToolCall)) if facts.part == Part::Replaced => {
            entry("Tool call behind its cards", Turn, Dev, (Left, Plain), No, Channel::Nothing)
        }
        (Assistant, Some(ToolCall)) => entry("Tool call", Turn, Collapsed, (Left, Plain), No, Channel::Tool),
        (Assistant, Some(CodeEdit)) => entry("Diff", if_whole, Shown, (Left, Card), No, Channel::Edit),
        (Assistant, Some(Todo)) => entry("Checklist", if_whole, Shown, (Left, Card), No, Channel::Checklist),
        (Assistant, Some(File | Chart | CodeReview)) => {
            entry("File, chart, review", Turn, Shown, (Left, Plain), No, Channel::Summary)
        }
        (Assistant, Some(Approval)) => {
            let context = if facts.answered { if_whole } else { None };
            entry("Approval request", context, Shown, (Left, Buttons), Never, Channel::Ask)
        }
        (Assistant | Tool, Some(Progress | Error)) => {
            entry("Progress, error", None, Shown, (Left, Plain), No, Channel::SummaryAtEnd)
        }

        (Model, Some(Text)) => entry("Reasoning", None, Dev, (Left, Thought), Never, Channel::Reasoning),

        (Tool, Some(Text)) if facts.part == Part::Replaced => {
            entry("Result of a call, in its card", None, Dev, (Left, Accent), No, Channel::Nothing)
        }
        (Tool, Some(Text | ToolCall)) => {
            let look = match facts.exit_code {
                Some(0) => Look::Success,
                Some(_) => Look::Failure,
                Option::None => Accent,
            };
            let context = if borrowed_voice(facts).is_some() { None } else { Turn };
            entry("Command output", context, Shown, (Left, look), OptIn, Channel::CommandOutput)
        }

        (System, Some(Text)) if facts.task && facts.sender == "task_notification" => {
            entry("Background task that wakes the agent", Turn, Shown, (Centre, Plain), No, Channel::System)
        }
        (System, Some(Text)) if facts.task => {
            entry("Scheduled task, handoff", Turn, Shown, (Centre, Plain), No, Channel::Task)
        }
        (System, Some(Text)) if facts.asked_context == Some(None) => {
            entry("Bookkeeping", None, Dev, (Left, Look::System), Never, Channel::Nothing)
        }
        (System, Some(Text)) if facts.asked_context == Some(Ephemeral) => {
            entry("Per-run notice", Ephemeral, Dev, (Left, Look::System), Never, Channel::Nothing)
        }
        (System, Some(Text)) if matches!(facts.sender, "teammate" | "peer" | "channel") => {
            entry("Message from another agent", Turn, Shown, (Left, Look::System), No, Channel::System)
        }
        (System, Some(Text)) if facts.sender == "system_notice" => {
            entry("Notice", None, Dev, (Left, Look::System), No, Channel::System)
        }
        (System, Some(Text)) if facts.sender == "deploy" => {
            entry("Deploy marker", Turn, Dev, (Left, Look::System), No, Channel::System)
        }
        (System, Some(Text)) => {
            entry("Persistent system context", Turn, Dev, (Left, Look::System), No, Channel::System)
        }

        (Host, Some(Text)) if facts.sender == "result_meta" => {
            entry("Cost, tokens, time of a run", None, Collapsed, (Left, Footer), Never, Channel::RunFooter)
        }
        (Host, Some(Text)) if facts.sender == "security" => {
            entry("Audit", None, Dev, (Left, Look::System), Never, Channel::Nothing)
        }
        (Host, Some(Text | Error)) => entry("Operations", None, Shown, (Centre, House), Never, Channel::House),
        (Host, Some(Approval)) => entry("Approval request", None, Shown, (Left, Buttons), Never, Channel::Ask),

        _ => other_pair(row(&Facts { message_type: Text.as_str(), consumed: false, aside: false, ..*facts })),
    }
}

/// Returns the policy for other combinations and unknown types: like a TEXT of its role, but never remembered.
fn other_pair(text: Policy) -> Policy {
    let channel = match text.channel {
        Channel::Nothing | Channel::Reasoning | Channel::RunFooter => text.channel,
        _ => Channel::Content,
    };
    Policy { row: "Any other pair", memory: text.memory.min(Memory::No), channel, ..text }
}

/// Returns the role that a posted message claims by its sender, if its own role differs. Readers state both.
fn borrowed_voice(facts: &Facts<'_>) -> Option<Role> {
    let is_posted = matches!(facts.provenance, Provenance::Key | Provenance::Person);
    voice(facts.sender).filter(|voice| is_posted && *voice != facts.role)
}

fn entry(
    row: &'static str,
    context: Context,
    display: Display,
    (side, look): (Side, Look),
    memory: Memory,
    channel: Channel,
) -> Policy {
    Policy { row, context, display, side, look, memory, channel }
}

impl Draft {
    /// Returns true if it reports a failure of its tool: by an exit code other than 0, the status `error`, or the field
    /// `is_error` of older rows.
    pub fn says_failed(&self) -> bool {
        let word = self.metadata.as_ref().and_then(|metadata| metadata.get("is_error")?.as_bool());
        word.unwrap_or(false) || facts_of(self).exit_code.is_some_and(|code| code != 0) || self.status == Status::Error
    }
}
