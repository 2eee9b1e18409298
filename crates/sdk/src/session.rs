//! One session of an agent: posting, changing, and hearing what people write.

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

/// Longest wait of one request; the server allows 60 seconds.
const WAIT: u32 = 50;
/// Messages of one answer.
const LIMIT: u32 = 500;

/// A session. Clones share what was received: each message of a person is given to one of them, once.
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
    /// Makes a session: of an agent's name, or with all that a [`NewSession`] states. Goes on with the session of the
    /// same `agent_session_id` if this key made it.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if another key made that session (`session_taken`) or a person deleted it
    /// (`session_deleted`).
    pub async fn create_session(&self, session: impl Into<NewSession>) -> Result<Session, Error> {
        let mut new = session.into();
        new.id.get_or_insert_with(new_id);
        let made = self.call::<CreateSession>(Nothing {}, new).await?;
        Ok(Session::begin(self.clone(), made.session.id.into(), Some(made.session.delivered_seq)))
    }

    /// Names a session that exists: by our id, the agent's own, or a unique beginning of either. Sends nothing yet: a
    /// session that doesn't exist shows at the first request.
    pub fn session(&self, id: &str) -> Session {
        Session::begin(self.clone(), id.to_owned(), None)
    }
}

impl Session {
    pub(crate) fn begin(verbatim: Verbatim, id: String, delivered_seq: Option<i64>) -> Self {
        Self { verbatim, id, inbox: Arc::new(Mutex::new(Inbox::starting_at(delivered_seq))) }
    }

    /// Returns the id as it was made or named: it may be the agent's own, or a beginning.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Makes [`Self::pending`] begin after this `seq`: for an agent that starts again and knows what it has read.
    pub fn after(self, seq: i64) -> Self {
        Self { inbox: Arc::new(Mutex::new(Inbox::starting_at(Some(seq)))), ..self }
    }

    /// Returns the session as it is now.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if it isn't there or another key made it.
    pub async fn info(&self) -> Result<model::Session, Error> {
        Ok(self.verbatim.call::<GetSession>(self.path(), Nothing {}).await?.session)
    }

    /// Renames the session, or changes its working folder, branch, model or version. Absent fields stay.
    ///
    /// # Errors
    ///
    /// [`Error::Forbidden`] for what only people change: `archived` and `pinned`.
    pub async fn edit(&self, edit: EditSession) -> Result<model::Session, Error> {
        Ok(self.verbatim.call::<EditSessionEndpoint>(self.path(), edit).await?.session)
    }

    /// Posts a text, or any message: with a ready `message_metadata`, as streaming, as a reply.
    ///
    /// It gets an id before it is sent, so sending it again after a lost answer adds nothing. With an `id` of your own
    /// that holds for a program that starts again, too.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] names the field that is wrong. [`Error::Conflict`] if the id was used for another content.
    pub async fn send_message(&self, message: impl Into<PostMessage>) -> Result<Sent, Error> {
        let message = with_id(message.into());
        let posted = self.verbatim.call::<PostMessageEndpoint>(self.path(), message).await?;
        Ok(self.sent(posted))
    }

    /// Posts up to 256 messages, all or none.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_message`]; the field is `/messages/3/content`, for one.
    pub async fn send_messages(&self, messages: Vec<PostMessage>) -> Result<Vec<Sent>, Error> {
        let input = PostMessages { messages: messages.into_iter().map(with_id).collect() };
        let posted = self.verbatim.call::<PostMessagesEndpoint>(self.path(), input).await?;
        Ok(posted.messages.into_iter().map(|posted| self.sent(posted)).collect())
    }

    /// Posts a message of any type, built in or one's own. Null fields of the payload are left out.
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
    /// [`Error::Envelope`] if a built-in type's payload doesn't validate: nothing is sent then. Else as for
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

    /// Posts the whole to-do list as it is now: it replaces the one before. People may tick its boxes; a tick arrives
    /// like their messages.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_structured_message`]; [`Error::Envelope`] for an empty list.
    pub async fn send_todo(&self, todos: Vec<TodoItem>) -> Result<Sent, Error> {
        self.send_body(Todo { todos }.into()).await
    }

    /// Posts the use of a tool. Its result comes later, by [`Self::update_tool_call`], or as a message of the role
    /// `tool` with the same `call_id`. Until then, or until the agent posts a text, it runs: after a minute without a
    /// sign of life the session is shown as lost. While a tool runs long, call [`Self::heartbeat`] every 30 seconds or
    /// so.
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

    /// Begins a text that grows while it is written. Finish it with [`Streaming::finish`] or [`Streaming::fail`]:
    /// dropped, it stays `streaming`.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_message`].
    pub async fn stream_message(&self) -> Result<Streaming, Error> {
        let streaming = PostMessage { status: Some(Status::Streaming), ..PostMessage::default() };
        Ok(Streaming::begin(self.clone(), self.send_message(streaming).await?))
    }

    /// Asks a question and waits for the answer, however long it takes, across restarts of the server.
    ///
    /// The session shows that it needs somebody. To wait for a while only, use [`Self::question`], whose waiting can be
    /// given up and taken up again. With an `id` of your own, a program that starts again and asks again gets the
    /// answer that came in the meantime.
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

    /// Asks a question, and doesn't wait yet.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_message`].
    pub async fn question(&self, question: impl Into<PostMessage>) -> Result<Question, Error> {
        let question = PostMessage { requires_user_input: Some(true), ..question.into() };
        Ok(Question { sent: self.send_message(question).await?, session: self.clone() })
    }

    /// Asks for a permission, a choice, a plan's acceptance or a form's values, with buttons, and waits as
    /// [`Self::ask`] does. [`crate::approval`] makes the usual ones.
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

    /// Posts an APPROVAL, and doesn't wait yet. With the `call_id` of a `TOOL_CALL` that was posted under that id, its
    /// input is shown beside it, and the decision holds for that input alone.
    ///
    /// # Errors
    ///
    /// As for [`Self::send_structured_message`].
    pub async fn request_approval(&self, approval: Approval, options: Structured) -> Result<ApprovalRequest, Error> {
        let payload = Body::from(approval).payload();
        let sent = self.send_structured_message("APPROVAL", payload, options).await?;
        Ok(ApprovalRequest { sent, session: self.clone() })
    }

    /// Returns what people wrote that wasn't given yet, oldest first. Waits for the first one, `wait` at most; empty if
    /// none came.
    ///
    /// # Errors
    ///
    /// [`Error::Forbidden`] for a key without the scope `read`.
    pub async fn pending(&self, wait: Duration) -> Result<Vec<Message>, Error> {
        let until = Instant::now() + wait;
        // Returns what is there already, even if `wait` is 0.
        let mut new = self.take_new(0).await?;
        while new.is_empty() && Instant::now() < until {
            // The server waits for whole seconds, so this may give up first. Nothing is lost: the next request asks the same.
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

    /// Reports that the agent is alive. Posts, updates and waiting do so too. After a minute without any the session
    /// counts as idle, or as lost if a call of it runs or a text is being written.
    ///
    /// # Errors
    ///
    /// As for [`Self::info`].
    pub async fn heartbeat(&self) -> Result<(), Error> {
        self.verbatim.call::<Heartbeat>(self.path(), Nothing {}).await.map(drop)
    }

    /// Reports that the session is over. The first outcome holds; a person's message opens the session again.
    ///
    /// # Errors
    ///
    /// As for [`Self::info`].
    pub async fn end(&self, outcome: EndOutcome) -> Result<(), Error> {
        self.verbatim.call::<EndSessionEndpoint>(self.path(), EndSession { outcome }).await.map(drop)
    }

    /// Returns a page of its messages. Where they are long it has fewer than `limit`: go on after its `to` until that
    /// is `last_seq`.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the query names more than one place to begin. Else as for [`Self::info`].
    pub async fn messages(&self, query: ListMessages) -> Result<MessagePage, Error> {
        self.verbatim.call::<ListMessagesEndpoint>(self.path(), query).await
    }

    /// Returns one message, by its id or its `seq`.
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

    /// Returns what the model's context held when it wrote a message, or its last one: of a message of a person, the first request
    /// that held it.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if the session has no such message.
    pub async fn context(&self, query: ContextQuery) -> Result<SessionContext, Error> {
        self.verbatim.call::<GetContext>(self.path(), query).await
    }

    /// Watches what changes in it after a cursor; without one, from the first poll of the stream on.
    pub fn watch(&self, after: Option<String>) -> Watch {
        self.verbatim.watch(Some(&self.id), after)
    }

    /// One request of the queue: everything after `after`, even if it was given before.
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

    /// Where the queue begins for us: once asked, always known.
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

/// What has an id can be sent again.
fn with_id(mut message: PostMessage) -> PostMessage {
    message.id.get_or_insert_with(new_id);
    message
}

/// Seconds of the next request that waits, at most until then.
fn seconds_until(until: Instant) -> u32 {
    let left = until.saturating_duration_since(Instant::now());
    u32::try_from(left.as_millis().div_ceil(1000)).unwrap_or(WAIT).min(WAIT)
}
