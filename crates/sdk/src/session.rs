//! A session of an agent: posting, updating, and receiving messages of people.

mod question;
mod run;
mod runs;
mod streaming;
mod typed;
mod updating;

pub use question::{Answer, ApprovalRequest, Decided, Question};
pub use run::Run;
pub use streaming::Streaming;

pub(crate) use updating::current;

use crate::inbox::Inbox;
use crate::retry::Patience;
use crate::verbatim::{Verbatim, new_id};
use crate::{Approval, Error, Message, Sent, Structured, Watch};
use api::Nothing;
use api::context::{ContextQuery, SessionContext};
use api::contract::{
    CreateSession, EditSessionEndpoint, EndSessionEndpoint, GetContext, GetMessage, GetSession, Heartbeat,
    ListMessagesEndpoint, PostMessageEndpoint, PostMessagesEndpoint, TakePendingEndpoint,
};
use api::lifecycle::{EditSession, EndOutcome, EndSession, NewSession};
use api::messages::{ListMessages, MessagePage, MessagePath};
use api::posting::{PendingMessages, PostMessage, PostMessages, Posted, TakePending};
use api::sessions::SessionPath;
use model::message_type::code_edit::{CodeEdit, Edit};
use model::message_type::todo::{Todo, TodoItem};
use model::message_type::tool_call::ToolCall;
use model::{Body, Status, envelope};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Longest wait of one request in seconds; the server allows 60.
const WAIT: u32 = 50;
/// Maximum number of messages per reply.
const LIMIT: u32 = 500;

/// A session. Clones share the received messages: each message of a person is returned to one of them, once.
///
/// ```no_run
/// # async fn run(session: sdk::Session) -> Result<(), sdk::Error> {
/// use std::time::Duration;
///
/// session.send_message("Working on it.").await?;
/// for message in session.pending(Duration::from_secs(30)).await? {
///     println!("{}: {}", message.draft().sender, message.text());
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Session {
    verbatim: Verbatim,
    id: String,
    inbox: Arc<Mutex<Inbox>>,
}

impl Verbatim {
    /// Creates a session, from an agent's name or a [`NewSession`]. Continues the session with the same
    /// `agent_session_id` if this key created it.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if another key created that session (`session_taken`), or a person deleted it
    /// (`session_deleted`).
    pub async fn create_session(&self, session: impl Into<NewSession>) -> Result<Session, Error> {
        let mut new = session.into();
        new.id.get_or_insert_with(new_id);
        let made = self.call::<CreateSession>(Nothing {}, new).await?;
        Ok(Session::begin(self.clone(), made.session.id.into(), Some(made.session.delivered_seq)))
    }

    /// Returns a handle of an existing session: by our id, the agent's own id, or a unique prefix of either. Sends
    /// nothing; if the session doesn't exist, the first request fails.
    pub fn session(&self, id: &str) -> Session {
        Session::begin(self.clone(), id.to_owned(), None)
    }
}

impl Session {
    pub(crate) fn begin(verbatim: Verbatim, id: String, delivered_seq: Option<i64>) -> Self {
        Self { verbatim, id, inbox: Arc::new(Mutex::new(Inbox::starting_at(delivered_seq))) }
    }

    /// Returns the id as it was given. It may be the agent's own id, or a prefix.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Makes [`Self::pending`] start after this `seq`, for a restarted agent that knows what it has read.
    pub fn after(self, seq: i64) -> Self {
        Self { inbox: Arc::new(Mutex::new(Inbox::starting_at(Some(seq)))), ..self }
    }

    /// Returns the current state of the session.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if it doesn't exist, or another key created it.
    pub async fn info(&self) -> Result<model::Session, Error> {
        Ok(self.verbatim.call::<GetSession>(self.path(), Nothing {}).await?.session)
    }

    /// Changes the title, working folder, branch, model or version. Absent fields stay unchanged.
    ///
    /// # Errors
    ///
    /// [`Error::Forbidden`] for fields that only people can change: `archived` and `pinned`.
    pub async fn edit(&self, edit: EditSession) -> Result<model::Session, Error> {
        Ok(self.verbatim.call::<EditSessionEndpoint>(self.path(), edit).await?.session)
    }

    /// Posts a text or any other message, for example with `message_metadata`, as streaming, or as a reply.
    ///
    /// It gets an id before it is sent, so that a retry stores it once. With an `id` of your own, this also works
    /// across restarts of the program.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] names the invalid field. [`Error::Conflict`] if the id was used with different content.
    pub async fn send_message(&self, message: impl Into<PostMessage>) -> Result<Sent, Error> {
        let message = with_id(message.into());
        let posted = self.verbatim.call::<PostMessageEndpoint>(self.path(), message).await?;
        Ok(self.sent(posted))
    }

    /// Posts up to 256 messages, all or none.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_message`]. The field is, for example, `/messages/3/content`.
    pub async fn send_messages(&self, messages: Vec<PostMessage>) -> Result<Vec<Sent>, Error> {
        let input = PostMessages { messages: messages.into_iter().map(with_id).collect() };
        let posted = self.verbatim.call::<PostMessagesEndpoint>(self.path(), input).await?;
        Ok(posted.messages.into_iter().map(|posted| self.sent(posted)).collect())
    }

    /// Posts a message of a built-in or custom type. Null fields of the payload are omitted.
    ///
    /// ```no_run
    /// # async fn run(session: sdk::Session) -> Result<(), sdk::Error> {
    /// use sdk::Structured;
    ///
    /// let payload = serde_json::json!({"title": "Staging"});
    /// session.send_structured_message("acme.deploy/plan", payload, Structured::default()).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Envelope`] if the payload of a built-in type is invalid; nothing is sent. Otherwise as for
    /// [`Self::send_message`].
    pub async fn send_structured_message(
        &self,
        message_type: &str,
        payload: Value,
        options: Structured,
    ) -> Result<Sent, Error> {
        let envelope = envelope::build(message_type, payload, options.extras, options.version)?;
        self.send_message(PostMessage { message_metadata: Some(envelope.into()), ..options.message }).await
    }

    /// Posts changes of files, shown as diffs. An edit without old content creates its file, one without new content
    /// deletes it.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_structured_message`]; [`Error::Envelope`] for an empty list or path.
    pub async fn send_code_edit(&self, edits: Vec<Edit>) -> Result<Sent, Error> {
        self.send_body(CodeEdit { edits }.into()).await
    }

    /// Posts the complete todo list, which replaces the previous one. People can tick items; a tick arrives like their
    /// messages.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_structured_message`]; [`Error::Envelope`] for an empty list.
    pub async fn send_todo(&self, todos: Vec<TodoItem>) -> Result<Sent, Error> {
        self.send_body(Todo { todos }.into()).await
    }

    /// Posts a tool call. Post its result later by [`Self::update_tool_call`], or as a message of the role `tool` with
    /// the same `call_id`. The call counts as running until then, or until the agent posts a text. After a minute
    /// without a heartbeat the session is shown as lost: call [`Self::heartbeat`] every 30 seconds while a tool runs
    /// long.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_structured_message`].
    pub async fn send_tool_call(&self, call: ToolCall) -> Result<Sent, Error> {
        self.send_body(call.into()).await
    }

    async fn send_body(&self, body: Body) -> Result<Sent, Error> {
        self.send_structured_message(body.message_type(), body.payload(), Structured::default()).await
    }

    /// Starts a streaming message. End it with [`Streaming::finish`] or [`Streaming::fail`]; if it is dropped, its
    /// status stays `streaming`.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_message`].
    pub async fn stream_message(&self) -> Result<Streaming, Error> {
        let streaming = PostMessage { status: Some(Status::Streaming), ..PostMessage::default() };
        Ok(Streaming::begin(self.clone(), self.send_message(streaming).await?))
    }

    /// Asks a question and waits for the answer without a time limit, across restarts of the server.
    ///
    /// The session shows that it waits for a person. To wait with a timeout, use [`Self::question`], whose wait can be
    /// cancelled and continued. With an `id` of your own, a restarted program that asks again gets the answer that came
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// Those of [`Self::send_message`] and [`Question::answer`].
    pub async fn ask(&self, question: impl Into<PostMessage>) -> Result<Answer, Error> {
        let question = self.question(question).await?;
        let answer = question.answer().await?;
        let queued_user_messages = [question.sent.queued_user_messages, answer.queued_user_messages].concat();
        Ok(Answer { queued_user_messages, ..answer })
    }

    /// Asks a question without waiting for the answer.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_message`].
    pub async fn question(&self, question: impl Into<PostMessage>) -> Result<Question, Error> {
        let question = PostMessage { requires_user_input: Some(true), ..question.into() };
        Ok(Question { sent: self.send_message(question).await?, session: self.clone() })
    }

    /// Asks for a permission, a choice, acceptance of a plan or values of a form, with buttons, and waits like
    /// [`Self::ask`]. [`crate::approval`] has constructors.
    ///
    /// ```no_run
    /// # async fn run(session: sdk::Session) -> Result<(), sdk::Error> {
    /// use sdk::approval::permission;
    ///
    /// if session.ask_approval(permission("Run `cargo publish`")).await?.allowed() {
    ///     session.send_message("Publishing.").await?;
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Self::request_approval`] and [`ApprovalRequest::decision`].
    pub async fn ask_approval(&self, approval: Approval) -> Result<Decided, Error> {
        let request = self.request_approval(approval, Structured::default()).await?;
        let decided = request.decision().await?;
        let queued_user_messages = [request.sent.queued_user_messages, decided.queued_user_messages].concat();
        Ok(Decided { queued_user_messages, ..decided })
    }

    /// Posts an APPROVAL without waiting for the decision. With the `call_id` of a posted `TOOL_CALL`, the call's input
    /// is shown with it, and the decision applies to that input only.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_structured_message`].
    pub async fn request_approval(&self, approval: Approval, options: Structured) -> Result<ApprovalRequest, Error> {
        let payload = Body::from(approval).payload();
        let sent = self.send_structured_message("APPROVAL", payload, options).await?;
        Ok(ApprovalRequest { sent, session: self.clone() })
    }

    /// Returns messages of people that weren't returned yet, oldest first. Waits up to `wait` for the first one; empty
    /// if none came.
    ///
    /// # Errors
    ///
    /// [`Error::Forbidden`] for a key without the scope `read`.
    pub async fn pending(&self, wait: Duration) -> Result<Vec<Message>, Error> {
        let until = Instant::now() + wait;
        // Returns what is there already, even if `wait` is 0.
        let mut new = self.take_new(0).await?;
        while new.is_empty() && Instant::now() < until {
            // The server waits for whole seconds, so this may give up first. Nothing is lost: the next request asks the
            // same.
            match timeout_at(until, self.take_new(seconds_until(until))).await {
                Ok(taken) => new = taken?,
                Err(_) => break,
            }
        }
        Ok(new)
    }

    async fn take_new(&self, wait: u32) -> Result<Vec<Message>, Error> {
        let after = self.known_after().await?;
        let taken = self.take(after, wait, LIMIT, self.verbatim.repeats()).await?;
        Ok(self.inbox().give_all(taken.messages, taken.after))
    }

    /// Reports that the agent is alive. Posts, updates and waiting requests do so too. After a minute without any of
    /// them the session counts as idle, or as lost if a tool call is running or a text is streaming.
    ///
    /// # Errors
    ///
    /// As for [`Self::info`].
    pub async fn heartbeat(&self) -> Result<(), Error> {
        self.verbatim.call::<Heartbeat>(self.path(), Nothing {}).await.map(drop)
    }

    /// Ends the session. The first outcome counts; a message of a person reopens the session.
    ///
    /// # Errors
    ///
    /// As for [`Self::info`].
    pub async fn end(&self, outcome: EndOutcome) -> Result<(), Error> {
        self.verbatim.call::<EndSessionEndpoint>(self.path(), EndSession { outcome }).await.map(drop)
    }

    /// Returns a page of its messages. It has fewer than `limit` if they are long: continue after its `to` until that
    /// is `last_seq`.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the query has several start positions. Otherwise as for [`Self::info`].
    pub async fn messages(&self, query: ListMessages) -> Result<MessagePage, Error> {
        self.verbatim.call::<ListMessagesEndpoint>(self.path(), query).await
    }

    /// Returns one message by its id or its `seq`.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if the session has no such message.
    pub async fn message(&self, id: &str) -> Result<Message, Error> {
        self.message_within(self.verbatim.repeats(), id).await
    }

    pub(crate) async fn message_within(&self, patience: Patience, id: &str) -> Result<Message, Error> {
        Ok(self.verbatim.call_within::<GetMessage>(patience, self.message_path(id), Nothing {}).await?.entry.into())
    }

    /// Returns the contents of the model's context when it wrote a message. For a person's message, the first request
    /// that contained it; without a message, the last request.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if the session has no such message.
    pub async fn context(&self, query: ContextQuery) -> Result<SessionContext, Error> {
        self.verbatim.call::<GetContext>(self.path(), query).await
    }

    /// Watches changes of the session after a cursor; without one, from the first poll of the stream on.
    pub fn watch(&self, after: Option<String>) -> Watch {
        self.verbatim.watch(Some(&self.id), after)
    }

    /// Sends one request for pending messages: all after `after`, even if they were returned before.
    pub(crate) async fn take(
        &self,
        after: i64,
        wait: u32,
        limit: u32,
        patience: Patience,
    ) -> Result<PendingMessages, Error> {
        let input = TakePending { after: Some(after), wait: Some(wait), limit: Some(limit), expects: None };
        self.verbatim.call_long::<TakePendingEndpoint>(patience, self.path(), input).await
    }

    /// Returns the start of the pending messages. It is requested once.
    async fn known_after(&self) -> Result<i64, Error> {
        if let Some(after) = self.inbox().after() {
            return Ok(after);
        }
        let delivered = self.info().await?.delivered_seq;
        let mut inbox = self.inbox();
        inbox.begin(delivered);
        Ok(inbox.after().unwrap_or(delivered))
    }

    pub(crate) fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sent(&self, posted: Posted) -> Sent {
        let queued_user_messages = self.inbox().give(posted.queued_user_messages);
        Sent { message: posted.message.into(), pos: posted.pos, replayed: posted.replayed, queued_user_messages }
    }

    pub(crate) fn path(&self) -> SessionPath {
        SessionPath { session: self.id.clone() }
    }

    pub(crate) fn message_path(&self, message: &str) -> MessagePath {
        MessagePath { session: self.id.clone(), message: message.to_owned() }
    }
}

/// Adds an id, which makes the request repeatable.
fn with_id(mut message: PostMessage) -> PostMessage {
    message.id.get_or_insert_with(new_id);
    message
}

/// Returns the wait of the next request in seconds, at most until this instant.
fn seconds_until(until: Instant) -> u32 {
    let left = until.saturating_duration_since(Instant::now());
    u32::try_from(left.as_millis().div_ceil(1000)).unwrap_or(WAIT).min(WAIT)
}
