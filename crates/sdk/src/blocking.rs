//! A client for programs without an async runtime. Its methods block until they complete.
//!
//! Each method runs its async counterpart on its own runtime, on the calling thread. Requests are only defined there.

mod forward;

use crate::{
    Answer, Approval, Chart, CodeReview, Decided, Error, ErrorReport, Event, FileItem, Message, Progress, Sent,
    Structured,
};
use api::account::Me;
use api::blobs::BlobMade;
use api::context::{ContextQuery, SessionContext};
use api::lifecycle::{EditSession, EndOutcome, NewSession};
use api::memory::{MemoryPage, MemoryQuery};
use api::messages::{ListMessages, MessagePage};
use api::posting::{PostMessage, UpdateMessage};
use api::runs::{BeginRun, EndRun};
use api::search::{SearchPage, SearchQuery};
use api::sessions::{ListSessions, SessionPage};
use api::types::TypeDeclared;
use forward::{Alone, forward};
use futures::StreamExt as _;
use model::message_type::code_edit::Edit;
use model::message_type::todo::TodoItem;
use model::message_type::tool_call::ToolCall;
use serde_json::Value;
use std::time::Duration;

forward! {
    /// A server and a key; see [`crate::Verbatim`].
    Verbatim for crate::Verbatim:
    create_session(session: impl Into<NewSession>) -> Session;
    sessions(query: ListSessions) -> SessionPage;
    recall(query: MemoryQuery) -> MemoryPage;
    search(query: SearchQuery) -> SearchPage;
    me() -> Me;
    declare_type(document: Value) -> TypeDeclared;
    read_blob(blob: &str) -> Vec<u8>;
    upload(bytes: &[u8], mime: &str) -> BlobMade;
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
    send_file(files: Vec<FileItem>) -> Sent;
    send_error(error: ErrorReport) -> Sent;
    send_chart(chart: Chart) -> Sent;
    send_code_review(review: CodeReview) -> Sent;
    send_progress(progress: Progress) -> Sent;
    update_progress(message: &str, progress: Progress) -> Message;
    stream_message() -> Streaming;
    update(message: &str, update: UpdateMessage) -> Message;
    update_tool_call(message: &str, call: ToolCall) -> Message;
    retract(message: &str) -> Message;
    ask(question: impl Into<PostMessage>) -> Answer;
    question(question: impl Into<PostMessage>) -> Question;
    ask_approval(approval: Approval) -> Decided;
    request_approval(approval: Approval, options: Structured) -> ApprovalRequest;
    pending(wait: Duration) -> Vec<Message>;
    begin_run() -> Run;
    begin_run_with(begin: BeginRun) -> Run;
    next_run(begin: BeginRun, wait: Duration) -> Option<Run>;
    heartbeat() -> ();
    end(outcome: EndOutcome) -> ();
    messages(query: ListMessages) -> MessagePage;
    context(query: ContextQuery) -> SessionContext;
    message(id: &str) -> Message;
}

forward! {
    /// A posted question; see [`crate::Question`].
    Question for crate::Question:
    answer() -> Answer;
    withdraw() -> ();
}

forward! {
    /// A posted APPROVAL; see [`crate::ApprovalRequest`].
    ApprovalRequest for crate::ApprovalRequest:
    decision() -> Decided;
    withdraw() -> ();
}

forward! {
    /// A run; see [`crate::Run`].
    Run for crate::Run:
    end(end: EndRun) -> ();
}

impl forward::Twin<Option<Run>> for Option<crate::Run> {
    fn twin(self, alone: &Alone) -> Option<Run> {
        self.map(|run| forward::Twin::twin(run, alone))
    }
}

impl Run {
    /// Returns the input of the run.
    pub fn input(&self) -> &crate::Run {
        &self.inner
    }
}

forward! {
    /// A message that is streamed; see [`crate::Streaming`].
    Streaming for crate::Streaming:
}

impl Verbatim {
    /// Creates a client of the server at `url`, with an agent's key. Sends nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] as for [`connect`](crate::Verbatim::connect), or if no runtime can be created.
    pub fn connect(url: &str, key: &str) -> Result<Self, Error> {
        Ok(Self { inner: crate::Verbatim::connect(url, key)?, alone: Alone::new()? })
    }

    /// Creates a client from the environment variables `VERBATIM_URL` and `VERBATIM_KEY`.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] as for [`from_env`](crate::Verbatim::from_env), or if no runtime can be created.
    pub fn from_env() -> Result<Self, Error> {
        Ok(Self { inner: crate::Verbatim::from_env()?, alone: Alone::new()? })
    }

    /// Sets how long temporary failures are retried; see [`patience`](crate::Verbatim::patience).
    pub fn patience(self, longest: Duration) -> Self {
        Self { inner: self.inner.patience(longest), ..self }
    }

    /// Returns a handle of an existing session; see [`session`](crate::Verbatim::session). Sends nothing.
    pub fn session(&self, id: &str) -> Session {
        Session { inner: self.inner.session(id), alone: self.alone.clone() }
    }

    /// Watches changes from now on, or after a cursor; see [`watch`](crate::Verbatim::watch).
    pub fn watch(&self, session: Option<&str>, after: Option<String>) -> Watch {
        Watch { inner: self.inner.watch(session, after), alone: self.alone.clone() }
    }
}

impl Session {
    /// Returns the id of the session, as it was given; see [`id`](crate::Session::id).
    pub fn id(&self) -> &str {
        self.inner.id()
    }

    /// Makes [`Self::pending`] begin after this `seq`; see [`after`](crate::Session::after).
    pub fn after(self, seq: i64) -> Self {
        Self { inner: self.inner.after(seq), ..self }
    }

    /// Watches changes of the session from now on, or after a cursor.
    pub fn watch(&self, after: Option<String>) -> Watch {
        Watch { inner: self.inner.watch(after), alone: self.alone.clone() }
    }
}

impl Question {
    /// Returns the stored question, with the messages that people wrote before it.
    pub fn sent(&self) -> &Sent {
        &self.inner.sent
    }
}

impl ApprovalRequest {
    /// Returns the stored APPROVAL, with the messages that people wrote before it.
    pub fn sent(&self) -> &Sent {
        &self.inner.sent
    }
}

impl Streaming {
    /// Returns the message as it was created, with the messages that people wrote before it.
    pub fn sent(&self) -> &Sent {
        &self.inner.sent
    }

    /// Appends text; see [`append`](crate::Streaming::append).
    ///
    /// # Errors
    ///
    /// Those of the async method, and [`Error::Setup`] inside an async runtime.
    pub fn append(&mut self, text: &str) -> Result<(), Error> {
        self.alone.wait(self.inner.append(text))?
    }

    /// Sends the rest and sets the status `final`; see [`finish`](crate::Streaming::finish).
    ///
    /// # Errors
    ///
    /// As for [`Self::append`].
    pub fn finish(self) -> Result<Message, Error> {
        self.alone.wait(self.inner.finish())?
    }

    /// Ends the message with the status `error`; see [`fail`](crate::Streaming::fail).
    ///
    /// # Errors
    ///
    /// As for [`Self::append`].
    pub fn fail(self) -> Result<Message, Error> {
        self.alone.wait(self.inner.fail())?
    }
}

/// An iterator over all changes, each once and in order. It blocks until the next one; see [`crate::Watch`].
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
