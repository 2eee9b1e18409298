//! Unfinished work of an agent that posts by itself. If it stops responding, the agent counts as lost.

use super::ToolUse;
use model::message_type::tool_call::ToolState;
use model::{Draft, MessageType, Role, Status};

/// How far the work is that a message tells of. Imported ones tell of none: their runs do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Work {
    #[default]
    Nothing = 0,
    /// The message is being written.
    Text = 1,
    /// A call that runs.
    Call = 2,
    /// A call that runs by its own words. A message with its `call_id` holds its result.
    Done = 3,
    Failed = 4,
}

impl Work {
    fn of(draft: &Draft, tool: Option<&ToolUse>) -> Self {
        let agents = matches!(draft.role, Role::Assistant | Role::Model | Role::Tool);
        match draft.status {
            Status::Streaming if agents => Self::Text,
            Status::Final if agents && tool.is_some_and(|tool| tool.runs) => Self::Call,
            _ => Self::Nothing,
        }
    }

    pub(crate) fn stored(number: i64) -> Self {
        match number {
            1 => Self::Text,
            2 => Self::Call,
            3 => Self::Done,
            4 => Self::Failed,
            _ => Self::Nothing,
        }
    }

    /// Returns the outcome of a call, by its result.
    pub(crate) fn outcome(self) -> Option<ToolState> {
        match self {
            Self::Done => Some(ToolState::Done),
            Self::Failed => Some(ToolState::Failed),
            Self::Nothing | Self::Text | Self::Call => None,
        }
    }

    /// Returns the work after an update to `new`: a result still belongs to its call, and an update begins no work.
    pub(crate) fn updated(self, new: Self) -> Self {
        match (self, new) {
            (Self::Done | Self::Failed, Self::Call) => self,
            (Self::Text | Self::Call, _) => new,
            _ => Self::Nothing,
        }
    }
}

/// The part of a message in its agent's work.
#[derive(Debug, Clone, Default)]
pub(crate) struct OfWork {
    pub work: Work,
    pub result: Option<CallResult>,
    /// Something final in plain words: what was called before is over, whether its result was told or not.
    pub final_word: bool,
}

impl OfWork {
    pub(crate) fn of(draft: &Draft, tool: Option<&ToolUse>) -> Self {
        let says = draft.role == Role::Assistant && draft.message_type() == MessageType::Text;
        Self {
            work: Work::of(draft, tool),
            result: CallResult::of(draft, tool),
            final_word: says && draft.status == Status::Final,
        }
    }
}

/// Which call a message is the result of, and what that says of the call.
#[derive(Debug, Clone)]
pub(crate) struct CallResult {
    pub call_id: String,
    /// [`Work::Call`]: the result was taken back.
    pub work: Work,
}

impl CallResult {
    fn of(draft: &Draft, tool: Option<&ToolUse>) -> Option<Self> {
        let call_id = draft.call_id.clone().filter(|_| draft.role == Role::Tool)?;
        let failed = || tool.is_some_and(|tool| tool.failed) || draft.says_failed();
        let work = match draft.status {
            Status::Retracted => Work::Call,
            Status::Error => Work::Failed,
            Status::Final if tool.is_some_and(|tool| tool.runs) => return None,
            Status::Final if failed() => Work::Failed,
            Status::Final => Work::Done,
            Status::Streaming | Status::Sending => return None,
        };
        Some(Self { call_id, work })
    }
}
