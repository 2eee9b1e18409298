//! How a transcript is looked at: what its rows and the components of its messages are drawn by.

use super::code_review::reviewed::Reviewed;
use crate::icon::Glyph;
use api::cost::ModelRequest;
use api::messages::{Entry, TodoState};
use api::type_settings::TypeSettings;
use model::message_type::todo::TodoProgress;
use model::todo_state::TodoState as Plan;
use model::{AssistantName, Draft, Micros, Session, SessionId};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

/// How much of a message is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Folded parts only have their text, in one element, and are shortened. They can be read and searched without a
    /// script.
    Glance,
    /// Folded parts are drawn as well, for a reader who unfolds them.
    Unfolded,
    /// Nothing is cut that a browser can bear.
    Whole,
    /// All of it, in a file or on paper: nothing can be asked for there, nor answered.
    Printed,
}

/// A session that a call of this one started.
#[derive(Debug, Clone, PartialEq)]
pub struct Child {
    pub session: Session,
    /// The last steps: one message while it is working, more if its card is open.
    pub steps: Vec<Step>,
}

/// A message of a sub-agent, in a line of its call's card.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub entry: Entry,
    /// The icon of its type.
    pub glyph: Glyph,
}

/// How a transcript is looked at.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each answers a question of its own")]
pub struct TranscriptOptions {
    pub session_id: SessionId,
    /// Highest `seq` of the session.
    pub last_seq: i64,
    /// The folder that the session is of.
    pub project: String,
    /// Name of its assistant.
    pub assistant: AssistantName,
    pub now: Micros,
    /// The dev toggle: everything in place, with what the record says of it.
    pub dev: bool,
    pub verbosity: Verbosity,
    /// Secrets are masked in the messages, which others see unmasked.
    pub masked: bool,
    /// Only the messages that a filter takes are here: each is a row of its own.
    pub filtered: bool,
    pub detail: Detail,
    /// Types that are drawn as the text of their content.
    pub plain: Arc<TypeSettings>,
    /// Words that the reader looks for: a difference shows the lines that hold them.
    pub sought: Option<Arc<str>>,
    /// `seq` of the newest TODO snapshot; older ones fold. None if not known: then all are open.
    pub newest_todo: Option<i64>,
    /// Its items as they stand, with what people ticked since.
    pub todos_now: Arc<TodoState>,
    /// The TODO snapshot before each one of the page, by its `seq`.
    pub todos_before: Arc<HashMap<i64, Arc<Entry>>>,
    /// The beginnings of text files that messages of the page name, by their digests in hex.
    pub texts: Arc<HashMap<String, String>>,
    /// Later edits in the lines of each review of the page, by its `seq`.
    pub reviews: Arc<HashMap<i64, Reviewed>>,
    /// The agent takes what people write: cards that ask can be answered.
    pub answers: bool,
    /// Nobody works in it any more: a call without a result never gets one.
    pub rests: bool,
    /// Part of another session's page, whose messages have the same numbers.
    pub nested: bool,
    /// Sub-agents, by the call that started them.
    pub children: Arc<HashMap<String, Child>>,
    /// With dev on, the requests to the model, by the `seq` of the first message of each answer.
    pub requests: Arc<BTreeMap<i64, ModelRequest>>,
    /// When the message above the page was written, where that is known.
    pub before: Option<Micros>,
    /// Messages of which only the beginning is here, by their `seq`.
    pub cut: Arc<BTreeMap<i64, Cut>>,
    /// Messages that aren't drawn by then are replaced by a notice.
    pub stop: Stop,
}

impl Child {
    /// Is its transcript not on this machine? Only its call tells of it.
    pub fn is_missing(session: &Session) -> bool {
        session.parent.is_some() && session.last_seq == 0 && !session.registered
    }
}

/// How much a message has of which only the beginning is here.
#[derive(Debug, Clone, Copy)]
pub struct Cut {
    pub bytes: u64,
    /// Progress of a plan.
    pub todos: Option<TodoProgress>,
}

impl TranscriptOptions {
    /// Returns how far a plan has got, with those of its items that aren't here.
    pub fn progress(&self, seq: i64, plan: &Plan) -> TodoProgress {
        match self.cut.get(&seq).and_then(|cut| cut.todos) {
            Some(_) if self.newest_todo == Some(seq) => {
                TodoProgress::of(&self.todos_now.todos, &self.todos_now.todo_info)
            }
            Some(whole) => whole,
            None => plan.progress(),
        }
    }

    /// The sub-agent that a call started, by the call's id; of a workflow, by its run.
    pub fn child(&self, draft: &Draft) -> Option<&Child> {
        let run = || draft.metadata.as_ref()?.get("payload")?.get("run_id")?.as_str();
        let by_call = draft.call_id.as_deref().and_then(|id| self.children.get(id));
        by_call.or_else(|| self.children.get(run()?))
    }

    /// Do rows run together? Not where everything stands in its place, nor where a filter took out what stood between
    /// them, nor where cards aren't drawn.
    pub fn folds(&self) -> bool {
        !self.dev && !self.filtered && self.plain.plain.is_empty() && self.verbosity != Verbosity::Verbose
    }

    /// As a reader sees it first: dev off, long things cut, folded ones not drawn yet.
    pub fn new(session_id: SessionId, last_seq: i64, now: Micros) -> Self {
        Self {
            session_id,
            last_seq,
            project: String::new(),
            assistant: AssistantName::default(),
            now,
            dev: false,
            verbosity: Verbosity::Normal,
            masked: false,
            filtered: false,
            plain: Arc::default(),
            detail: Detail::Glance,
            sought: None,
            newest_todo: None,
            todos_now: Arc::default(),
            todos_before: Arc::default(),
            texts: Arc::default(),
            reviews: Arc::default(),
            answers: false,
            rests: false,
            nested: false,
            children: Arc::default(),
            requests: Arc::default(),
            before: None,
            cut: Arc::default(),
            stop: Stop::default(),
        }
    }
}

/// In the URL as `?view=`, and remembered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Verbosity {
    /// Prompts, answers and turns; the work between them is one line each turn.
    Summary,
    /// Tool calls are lines, reasoning is a marker.
    #[default]
    Normal,
    /// Reasoning stands in its place.
    Thinking,
    /// Reasoning in place, and every card open.
    Verbose,
}

impl Verbosity {
    pub const ALL: [Self; 4] = [Self::Summary, Self::Normal, Self::Thinking, Self::Verbose];

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == word)
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Normal => "normal",
            Self::Thinking => "thinking",
            Self::Verbose => "verbose",
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Summary => "Summary",
            Self::Normal => "Normal",
            Self::Thinking => "Thinking",
            Self::Verbose => "Verbose",
        }
    }

    /// Is reasoning read where it stands? Then a page of messages has to hold what the dev toggle hides.
    pub const fn shows_thinking(self) -> bool {
        matches!(self, Self::Thinking | Self::Verbose)
    }
}

/// Says when nothing more is to be drawn: the time for it is over, or nobody waits for it. Never, by default.
#[derive(Clone, Default)]
pub struct Stop(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Stop {
    pub fn when(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(is_over)))
    }

    pub fn is_over(&self) -> bool {
        self.0.as_ref().is_some_and(|is_over| is_over())
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.is_over()).finish()
    }
}
