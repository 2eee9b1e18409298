//! Single writes of agents and people, and their results.
//!
//! Many live writes share one transaction ([`crate::Workspace::write_live`]). Each has its own result: a refused one
//! doesn't affect the others.

use crate::prepare::PreparedMessage;
use crate::{FileChanged, StoredMessage};
use model::audit::Note;
use model::message_type::todo::TodoProgress;
use model::policy::Display;
use model::routing::Senders;
use model::run_prompt::{NoticePlacement, Piece, RunFormat};
use model::session::Live;
use model::{Body, Draft, MessageId, Micros, RunOutcome, SessionFacts, SessionId, Usage};

/// One write.
pub enum LiveWrite {
    Create(Box<NewSession>),
    Edit(Box<LiveEdit>),
    Post(Box<LivePost>),
    /// All or none; their ids differ.
    PostAll(Vec<LivePost>),
    Change(Box<LiveChange>),
    /// A change that an event of a channel asks for: it is made once, and what became of the event is kept with it.
    Once(ChannelEvent, Box<LiveChange>),
    Take(LiveTake),
    Begin(Box<LiveBegin>),
    EndRun(Box<LiveEndRun>),
    Due(Box<LiveDue>),
}

/// A session to be made. The same id with the same hash is the same request: it is answered again.
#[derive(Debug, Clone)]
pub struct NewSession {
    pub id: SessionId,
    pub agent: String,
    /// The agent's own id; unique for an agent.
    pub key: String,
    /// The parent's own id.
    pub parent_key: Option<String>,
    pub facts: SessionFacts,
    /// The agent key that makes it; None for people.
    pub key_id: Option<String>,
    /// None of a session whose agent's messages come from its transcript.
    pub create_hash: Option<Vec<u8>>,
    pub origin: Origin,
    /// Id of the machine on which its agent runs. None of the server's own.
    pub machine: Option<String>,
}

/// Where the agent's messages of a new session come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Somebody posts them.
    Posts,
    /// A transcript, which may be read later. A session that an agent's key made under the transcript's id gives that
    /// id up.
    Transcript,
}

/// Changes to a session. Absent fields stay unchanged.
#[derive(Debug, Clone)]
pub struct LiveEdit {
    pub session: SessionId,
    pub facts: SessionFacts,
    /// The title that a person gives, which wins over the agent's; None takes it back.
    pub own_title: Option<Option<String>>,
    pub archived_at: Option<Option<Micros>>,
    pub pinned_at: Option<Option<Micros>>,
    /// A deleted session is gone from everywhere until it is restored.
    pub deleted_at: Option<Option<Micros>>,
    pub ended: Option<Ended>,
    pub sign: Option<SignOfLife>,
    /// The agent's state, as its hooks or its driver report it.
    pub live: Option<Live>,
    /// This comes from the agent's driver: true if the agent runs. While it does, what its hooks report counts for
    /// nothing.
    pub driven: Option<bool>,
    /// The agent waits for people: it doesn't work until its next sign of life.
    pub rests: bool,
    /// True to reopen an ended session.
    pub reopens: bool,
    /// Somebody hears from now on what people write in a session that was only read: its `create_hash`.
    pub registers: Option<Vec<u8>>,
    /// For the audit log, if the session is deleted or restored by this.
    pub note: Option<Note>,
}

impl LiveEdit {
    pub fn new(session: SessionId) -> Self {
        Self {
            session,
            facts: SessionFacts::default(),
            own_title: None,
            archived_at: None,
            pinned_at: None,
            deleted_at: None,
            ended: None,
            sign: None,
            live: None,
            driven: None,
            rests: false,
            reopens: false,
            registers: None,
            note: None,
        }
    }
}

/// How an agent shows that it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignOfLife {
    /// By what it does.
    Deed,
    /// It says so: where no heartbeat comes any more, it is lost.
    Heartbeat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Done,
    Failed,
}

/// A message with what the store derives nothing of itself.
#[derive(Debug, Clone)]
pub struct NewMessage {
    pub draft: Draft,
    /// The draft's content, as it was read.
    pub body: Body,
    pub display: Display,
    /// Words to find it by; None keeps it out of search.
    pub search_text: Option<String>,
    /// Whether it is remembered beyond its session.
    pub remembered: bool,
    /// The files that its edits changed, each once.
    pub files: Vec<FileChanged>,
    pub sums: Sums,
}

/// Counts that a message adds to its session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sums {
    /// A title to fall back on; the first one stays.
    pub first_prompt: Option<String>,
    pub lines_added: i64,
    pub lines_removed: i64,
    /// How far a list has got that replaces the one before.
    pub todos: Option<TodoProgress>,
}

impl Sums {
    /// Both, one after the other.
    pub fn then(self, later: Self) -> Self {
        Self {
            first_prompt: self.first_prompt.or(later.first_prompt),
            lines_added: self.lines_added + later.lines_added,
            lines_removed: self.lines_removed + later.lines_removed,
            todos: later.todos.or(self.todos),
        }
    }
}

/// A message to be added. The same id with the same hash is the same request: it is answered again.
#[derive(Clone)]
pub struct LivePost {
    pub session: SessionId,
    pub draft: Draft,
    pub create_hash: Vec<u8>,
    /// A person's message that waits for the agent.
    pub queued: bool,
    /// The question that a person answers with it: the first answer holds.
    pub answers: Option<MessageId>,
    /// The agent posts: it gets what waits for it, once.
    pub takes_queue: bool,
    /// True if the results of the sender's calls come later. Until then a call is running.
    pub tells_results: bool,
    pub sums: Sums,
    /// The message as its columns, made before the transaction.
    pub(crate) prepared: PreparedMessage,
}

/// Decides on the change of a message. It is called with the current message, inside the transaction, and again if that
/// is retried.
pub type Rule = Box<dyn Fn(&StoredMessage, &[StoredMessage]) -> Result<Changed, Refusal> + Send + Sync>;

/// A message to be changed by a rule.
pub struct LiveChange {
    pub session: SessionId,
    pub message: MessageId,
    /// The revision that the writer knows.
    pub if_match: Option<i32>,
    /// The rule looks at what goes by the message's `call_id`, too.
    pub needs_calls: bool,
    pub rule: Rule,
    /// For the audit log, if the rule changes the message.
    pub note: Option<Note>,
}

/// An event in a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelEvent {
    pub channel: String,
    /// SHA-256 of the channel's own id of the event, in hex.
    pub event: String,
    /// It decides the message; else it changes one.
    pub decides: bool,
}

/// Result of a rule.
#[derive(Clone)]
pub struct Changed {
    pub message: NewMessage,
    /// Posted in the same transaction: the answer to an approval.
    pub follow_up: Option<LivePost>,
    /// All that changed is that a text, which is still being written, goes on.
    pub grows: bool,
    /// The agent itself changes it: a sign of life.
    pub alive: bool,
}

/// An agent asks for what people wrote to it. What it gets counts as delivered.
#[derive(Debug, Clone)]
pub struct LiveTake {
    pub session: SessionId,
    /// The last `seq` that it has: all later messages are returned, even if they were given before. None continues.
    pub after: Option<i64>,
    /// Refused unless messages up to this `seq` were delivered.
    pub expects: Option<i64>,
    pub limit: u32,
    /// Whose messages it gets.
    pub senders: Senders,
}

/// An agent begins a run: it is given what waits.
#[derive(Debug, Clone)]
pub struct LiveBegin {
    pub session: SessionId,
    /// The id that a new run gets.
    pub run: String,
    pub format: RunFormat,
    pub placement: NoticePlacement,
    /// For this run only.
    pub notices: Vec<String>,
    pub takes: Takes,
    /// Whose messages it gets.
    pub senders: Senders,
}

/// The input of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// All that waits. While a run is open, its input is given again instead.
    Waiting,
    /// The whole conversation after this `seq` instead of what waits. While a run is open, its input is given again.
    After(i64),
    /// The waiting messages up to a person's next one, for an agent whose runs come from its transcript: no run is
    /// stored, and none is open. The format is `text` for a single message of a person, otherwise `anthropic`; the
    /// run's id is the message's.
    Prompt,
    /// The same while the agent works: the prompt joins the run before, whose notices go on.
    Joining,
}

/// The input that an agent is given in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenRun {
    pub id: String,
    /// It was begun before: these are the same bytes.
    pub resumed: bool,
    pub format: RunFormat,
    pub placement: NoticePlacement,
    /// Its messages have a greater `seq`.
    pub after: i64,
    /// The last `seq` that counts as given.
    pub to: i64,
    /// The history up to this `seq` had no room.
    pub omitted_to: Option<i64>,
    /// Bytes that the context log took for it.
    pub logged: i64,
    pub pieces: Vec<Piece>,
}

/// A run ends.
#[derive(Debug, Clone)]
pub struct LiveEndRun {
    pub session: SessionId,
    pub run: String,
    pub outcome: RunOutcome,
    pub model: Option<String>,
    pub usage: Usage,
    pub cost_usd: Option<f64>,
}

/// The time of a schedule has come.
#[derive(Clone)]
pub struct LiveDue {
    /// Id of the schedule.
    pub schedule: String,
    /// The next run as it was read: where another one stands there by now, nothing is done. None for a run that a
    /// person asks for, which leaves the times alone.
    pub claims: Option<Micros>,
    /// The next run after this.
    pub next: Option<Micros>,
    /// When it was due, and the prompt.
    pub prompt: Option<(Micros, LivePost)>,
    /// When it was due, and why there is no prompt.
    pub refused: Option<(Micros, &'static str)>,
    pub missed: Option<MissedRuns>,
}

/// Runs whose time came while no server was there.
#[derive(Clone)]
pub struct MissedRuns {
    pub count: i64,
    pub last_at: Micros,
    /// Notice for people. A deleted session gets none.
    pub told: Option<LivePost>,
}

/// The messages that wait for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    /// The last `seq` of a message that wakes the agent.
    pub queued_seq: i64,
    /// The last `seq` of a message to the agent; a notice doesn't wake it.
    pub waiting_seq: i64,
    /// It began a run that hasn't ended.
    pub has_open_run: bool,
    /// How far the agent has read.
    pub delivered_seq: i64,
    /// Its last sign of life.
    pub heartbeat_at: Option<Micros>,
    pub ended: bool,
}

impl Queue {
    /// Waiting is a sign of life; telling of each would write for ever.
    const FRESH: i64 = 10 * Micros::SECOND;

    /// Returns true if no recent heartbeat is recorded, so that the next one is written.
    pub(crate) fn sleeps(&self, now: Micros) -> bool {
        !self.ended && self.heartbeat_at.is_none_or(|at| !at.is_within(Self::FRESH, now))
    }

    /// Returns true if something behind what the agent knows wakes it.
    pub fn waits(&self, after: Option<i64>) -> bool {
        self.queued_seq > after.unwrap_or(self.delivered_seq)
    }

    /// Returns true if there is anything behind what the agent knows.
    pub fn holds(&self, after: Option<i64>) -> bool {
        self.waiting_seq > after.unwrap_or(self.delivered_seq)
    }

    /// Returns true if a take request would return and change nothing.
    pub fn is_quiet(&self, after: Option<i64>, expects: Option<i64>, now: Micros) -> bool {
        !self.waits(after) && expects.is_none_or(|seq| seq == self.delivered_seq) && !self.sleeps(now)
    }
}

/// Result of a write.
#[derive(Debug, Clone, PartialEq)]
pub enum LiveDone {
    Session {
        id: SessionId,
        created: bool,
    },
    Posted(Box<PostDone>),
    PostedAll(Vec<PostDone>),
    Changed {
        message: Box<StoredMessage>,
        follow_up: Option<Box<StoredMessage>>,
    },
    Taken(Vec<StoredMessage>),
    Begun(Box<GivenRun>),
    RunEnded {
        /// An equal end was reported before.
        replayed: bool,
    },
    /// With the prompt that was posted; None where there was none, or its session is gone.
    Ran(Option<Box<PostDone>>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct PostDone {
    pub message: StoredMessage,
    /// An equal request came before.
    pub replayed: bool,
    /// Messages of people since the agent's last call.
    pub queued: Vec<StoredMessage>,
}

/// Why a write was refused. Nothing of it was stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    NoSession,
    /// It was deleted, and isn't forgotten yet; and the field that names it, where one does.
    Deleted {
        field: Option<&'static str>,
    },
    /// Another key, or nobody's, made the session that this field names.
    Taken {
        field: &'static str,
    },
    NoMessage,
    NoRun,
    /// Another server was first, or the schedule was changed.
    NotDue,
    /// A run is open that was begun in another way.
    OpenRun {
        run: String,
        format: RunFormat,
        placement: NoticePlacement,
    },
    /// The id is in use for something else.
    Conflict,
    /// Another revision than the writer knows: the message as it is.
    Revision(Box<StoredMessage>),
    /// The event of a channel came before.
    Repeated,
    /// A rule's own reason, and the message as it is.
    Rule(Objection, Option<Box<StoredMessage>>),
    /// Its text would be longer than this many bytes; and the field that brings it there.
    TooLong {
        field: &'static str,
        most: usize,
    },
    /// One of several that go together.
    At(usize, Box<Refusal>),
}

/// Reasons of a rule to refuse a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objection {
    /// An approval is decided once.
    Decided,
    /// A question is answered once: the answer that was first.
    Answered,
    /// It isn't any more what a person was shown.
    Changed,
    /// The message's status doesn't lead there.
    Status,
    /// It is another one's message.
    NotYours,
    /// Only people decide.
    NotYoursToDecide,
    /// It would ask a person who can't see it.
    OutOfSight,
    /// Another reader took what waited.
    Stale,
    /// A run has one outcome.
    RunEnded,
}

/// The answers to a batch of live writes, in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveWritten {
    pub answers: Vec<Result<LiveDone, Refusal>>,
    /// Position of the feed after this batch.
    pub pos: i64,
    /// Whether channels are told anything by it.
    pub has_deliveries: bool,
}
