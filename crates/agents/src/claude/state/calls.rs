//! The tool calls of a file, as far as later lines may still change them.

use crate::parts::at::hash;
use model::Micros;
use model::message_type::todo::TodoProgress;
use std::collections::{HashMap, HashSet, VecDeque};

/// A call that a later line may still change.
pub(crate) struct Call {
    pub session: usize,
    /// Id of the `TOOL_CALL` message.
    pub id: String,
    pub tool: String,
    pub started: Micros,
    pub open: bool,
    /// True once its success is counted. A result may be repeated.
    pub counted: bool,
    /// The id of the line that has its result.
    pub answer: Option<String>,
    /// Ids of the derived messages.
    pub derived: Vec<String>,
    /// The progress of the session's list before the call.
    pub todos: Option<TodoProgress>,
}

#[derive(Default)]
pub(crate) struct Calls {
    pub by_id: HashMap<String, Call>,
    /// Open calls in the order of their lines.
    pub open: Vec<String>,
    pub answered: VecDeque<String>,
    /// Hashes of all call ids that the file has used.
    pub used: HashSet<u64>,
    /// Background tasks, by the id that later calls and notifications use.
    pub tasks: HashMap<String, Task>,
}

/// Work that goes on behind a call's result.
pub(crate) struct Task {
    pub call_id: String,
    /// Its command, or its description.
    pub what: String,
    /// True if it was ended on purpose.
    pub is_stopped: bool,
}

impl Calls {
    pub fn get(&self, call_id: &str) -> Option<&Call> {
        self.by_id.get(call_id)
    }
    /// Returns true if a call of this id has begun.
    pub fn has_used(&self, call_id: &str) -> bool {
        self.used.contains(&hash(call_id))
    }
    /// Returns the id of the call whose result is on a line.
    pub fn answered_by(&self, line: &str) -> Option<String> {
        self.by_id.iter().find(|(_, call)| call.answer.as_deref() == Some(line)).map(|(id, _)| id.clone())
    }
    /// Returns the command of a background task, or its description.
    pub fn task(&self, id: &str) -> Option<&str> {
        self.tasks.get(id).map(|task| task.what.as_str())
    }
    pub fn has_open(&self, session: usize) -> bool {
        self.open.iter().any(|id| self.by_id.get(id).is_some_and(|call| call.session == session))
    }
    /// The open calls of a session, oldest first.
    pub fn open_in(&self, session: usize) -> Vec<String> {
        let here = |id: &&String| self.by_id.get(*id).is_some_and(|call| call.session == session);
        self.open.iter().filter(here).cloned().collect()
    }
}
