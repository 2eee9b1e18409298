//! The same client for programs without an async runtime: the same methods, which wait.
//!
//! Each calls its async twin on a runtime of its own, on the calling thread. Requests are defined there, once.

mod forward;

use crate::{Answer, Approval, Decided, Error, Event, Message, Sent, Structured};
use api::account::Me;
use api::lifecycle::{EditSession, EndOutcome, NewSession};
use api::messages::{ListMessages, MessagePage};
use api::posting::{PostMessage, UpdateMessage};
use api::sessions::{ListSessions, SessionPage};
use forward::{Alone, forward};
use futures::StreamExt as _;
use model::message_type::code_edit::Edit;
use model::message_type::todo::TodoItem;
use model::message_type::tool_call::ToolCall;
use serde_json::Value;
use std::time::Duration;

forward! {
    /// A server and the key to it; see [`crate::Verbatim`].
    Verbatim for crate::Verbatim:
    create_session(session: impl Into<NewSession>) -> Session;
    sessions(query: ListSessions) -> SessionPage;
    me() -> Me;
    read_blob(blob: &str) -> Vec<u8>;
}

forward! {
    /// A session; see [`crate::Session`].
    Session for crate::Session:
    info() -> model::Session;
    edit(edit: EditSession) -> model::Session;
    send_message(message: impl Into<PostMessage>) -> Sent;
    send_messages(messages: Vec<PostMessage>) -> Vec<Sent>;
    send_structured_message(message_type: &str, payload: Value, options: Structured) -> Sent;
    send_code_edit(edits: Vec<Edit>) -> Sent;
    send_todo(todos: Vec<TodoItem>) -> Sent;
    send_tool_call(call: ToolCall) -> Sent;
    stream_message() -> Streaming;
    update(message: &str, update: UpdateMessage) -> Message;
    update_tool_call(message: &str, call: ToolCall) -> Message;
    retract(message: &str) -> Message;
    ask(question: impl Into<PostMessage>) -> Answer;
    question(question: impl Into<PostMessage>) -> Question;
    ask_approval(approval: Approval) -> Decided;
    request_approval(approval: Approval, options: Structured) -> ApprovalRequest;
    pending(wait: Duration) -> Vec<Message>;
    heartbeat() -> ();
    end(outcome: EndOutcome) -> ();
    messages(query: ListMessages) -> MessagePage;
    message(id: &str) -> Message;
}

forward! {
    /// A question that was posted; see [`crate::Question`].
    Question for crate::Question:
    answer() -> Answer;
    withdraw() -> ();
}

forward! {
    /// An APPROVAL that was posted; see [`crate::ApprovalRequest`].
    ApprovalRequest for crate::ApprovalRequest:
    decision() -> Decided;
    withdraw() -> ();
}

forward! {
    /// A text that grows while it is written; see [`crate::Streaming`].
    Streaming for crate::Streaming:
}

impl Verbatim {
    /// The server at `url`, with an agent's key. Nothing is sent yet.
    pub fn connect(url: &str, key: &str) -> Result<Self, Error> {
        Ok(Self { inner: crate::Verbatim::connect(url, key)?, alone: Alone::new()? })
    }

    /// The server that `VERBATIM_URL` names, with the key in `VERBATIM_KEY`.
    pub fn from_env() -> Result<Self, Error> {
        Ok(Self { inner: crate::Verbatim::from_env()?, alone: Alone::new()? })
    }

    /// Repeats what fails for the moment for so long.
    pub fn patience(self, longest: Duration) -> Self {
        Self { inner: self.inner.patience(longest), ..self }
    }

    /// A session that is there.
    pub fn session(&self, id: &str) -> Session {
        Session { inner: self.inner.session(id), alone: self.alone.clone() }
    }

    /// What changes from now on, or from a cursor.
    pub fn watch(&self, session: Option<&str>, after: Option<String>) -> Watch {
        Watch { inner: self.inner.watch(session, after), alone: self.alone.clone() }
    }
}

impl Session {
    pub fn id(&self) -> &str {
        self.inner.id()
    }

    /// [`Self::pending`] begins after this `seq`.
    pub fn after(self, seq: i64) -> Self {
        Self { inner: self.inner.after(seq), ..self }
    }

    /// What changes in it from now on, or from a cursor.
    pub fn watch(&self, after: Option<String>) -> Watch {
        Watch { inner: self.inner.watch(after), alone: self.alone.clone() }
    }
}

impl Question {
    pub fn sent(&self) -> &Sent {
        &self.inner.sent
    }
}

impl ApprovalRequest {
    pub fn sent(&self) -> &Sent {
        &self.inner.sent
    }
}

impl Streaming {
    pub fn sent(&self) -> &Sent {
        &self.inner.sent
    }

    /// Adds to the text.
    pub fn append(&mut self, text: &str) -> Result<(), Error> {
        self.alone.wait(self.inner.append(text))?
    }

    /// The text is complete.
    pub fn finish(self) -> Result<Message, Error> {
        self.alone.wait(self.inner.finish())?
    }

    /// The text breaks off.
    pub fn fail(self) -> Result<Message, Error> {
        self.alone.wait(self.inner.fail())?
    }
}

/// Every change once and in order; see [`crate::Watch`].
pub struct Watch {
    inner: crate::Watch,
    alone: Alone,
}

impl Iterator for Watch {
    type Item = Result<Event, Error>;
    fn next(&mut self) -> Option<Self::Item> {
        match self.alone.wait(self.inner.next()) {
            Ok(event) => event,
            Err(error) => Some(Err(error)),
        }
    }
}
