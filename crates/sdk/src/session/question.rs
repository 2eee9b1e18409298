//! Questions and approvals, and waiting for their answers.

use crate::retry::Patience;
use crate::session::Session;
use crate::{Error, Message, Sent};
use api::ProblemCode;
use api::posting::UpdateMessage;
use model::message_type::action::Action;
use model::message_type::approval::{Approval, ApprovalState, Decision};
use model::{Body, Status, envelope};
use serde_json::{Map, Value};

/// Wait of one request in seconds. After that, the state of the question is checked.
const WAIT: u32 = 25;

/// A posted question. [`Self::answer`] waits for a person's answer.
#[derive(Clone)]
pub struct Question {
    pub(crate) session: Session,
    /// The stored question, with the messages that people wrote before it.
    pub sent: Sent,
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The person's message: a TEXT, or an ACTION if a button was pressed.
    pub message: Message,
    /// Other messages of people, from before the question and while it was open. Each is returned once.
    pub queued_user_messages: Vec<Message>,
}

impl Answer {
    /// Returns the typed or chosen answer as text for a model.
    pub fn text(&self) -> String {
        self.message.text()
    }
}

/// A posted APPROVAL. [`Self::decision`] waits until it is decided.
#[derive(Clone)]
pub struct ApprovalRequest {
    pub(crate) session: Session,
    /// The stored APPROVAL, with the messages that people wrote before it.
    pub sent: Sent,
}

/// Outcome of an APPROVAL.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// State: `allowed_once`, `denied`, `expired`. Never `open`.
    pub state: ApprovalState,
    /// The decision and who made it. None if nobody did, for example if it expired.
    pub decision: Option<Decision>,
    /// The person's ACTION: labels of chosen options, values of a form, or a text. None if it wasn't decided in
    /// Verbatim.
    pub action: Option<Action>,
    /// Other messages of people, from before the request and while it was open. Each is returned once.
    pub queued_user_messages: Vec<Message>,
}

impl Decided {
    /// Returns true if a person allowed it. No other outcome is a permission.
    pub fn allowed(&self) -> bool {
        matches!(self.state, ApprovalState::AllowedOnce | ApprovalState::AllowedAlways)
    }

    /// Returns the chosen, typed or filled-in answer; empty if nobody answered.
    pub fn text(&self) -> String {
        self.action.as_ref().map(Action::answer).unwrap_or_default()
    }
}

impl Question {
    /// Returns the message id of the question.
    pub fn id(&self) -> &str {
        self.sent.id()
    }

    /// Waits for the answer without a time limit, or until the question is retracted. Connection failures are retried
    /// without limit. The future can be dropped and the method called again without losing messages.
    ///
    /// # Errors
    ///
    /// [`Error::Withdrawn`] if the question is retracted; otherwise a permanent error, for example if the key was
    /// revoked.
    pub async fn answer(&self) -> Result<Answer, Error> {
        let mut queue = Queue::behind(&self.session, &self.sent);
        // The first request doesn't wait: the answer may be there already.
        let (mut stands, mut wait) = (true, 0);
        loop {
            match queue.next(wait).await? {
                Some(message) if answers(&message, self.id()) => {
                    return Ok(Answer { queued_user_messages: queue.give(Some(&message)), message });
                }
                Some(message) => queue.others.push(message),
                // An answer may have come before it was taken back: look once more, and then no more.
                None if !stands => return Err(Error::Withdrawn),
                None => {
                    stands = self.stands().await?;
                    wait = if stands { WAIT } else { 0 };
                }
            }
        }
    }

    /// Returns true if the question is still open.
    async fn stands(&self) -> Result<bool, Error> {
        let message = self.session.message_within(Patience::Endless, self.id()).await?;
        Ok(message.draft().status != Status::Retracted && message.draft().requires_user_input)
    }

    /// Retracts the question: the session no longer waits for its answer. Does nothing if it was already retracted.
    ///
    /// # Errors
    ///
    /// As for [`Session::retract`].
    pub async fn withdraw(&self) -> Result<(), Error> {
        self.session.retract(self.id()).await.map(drop)
    }
}

impl ApprovalRequest {
    /// Returns the message id of the APPROVAL.
    pub fn id(&self) -> &str {
        self.sent.id()
    }

    /// Waits without a time limit until it is decided, expires, is retracted, or is decided elsewhere. Connection
    /// failures are retried without limit. The future can be dropped and the method called again without losing
    /// messages.
    ///
    /// # Errors
    ///
    /// A permanent error, for example if the key was revoked.
    pub async fn decision(&self) -> Result<Decided, Error> {
        let mut queue = Queue::behind(&self.session, &self.sent);
        let mut told = None;
        while told.is_none() {
            match queue.next(WAIT).await? {
                Some(message) if decides(&message, self.id()) => told = Some(message),
                Some(message) => queue.others.push(message),
                // Nobody pressed a button, but it may be over: expired, taken back, decided elsewhere.
                None if self.outcome().await?.is_some() => break,
                None => {}
            }
        }
        // The approval has the state and the ids; the ACTION has the labels.
        let (state, decision) = self.outcome().await?.unwrap_or((ApprovalState::Open, None));
        while told.is_none() && decision.is_some() {
            // It was decided between two requests: its ACTION is in the queue by now.
            match queue.next(0).await? {
                Some(message) if decides(&message, self.id()) => told = Some(message),
                Some(message) => queue.others.push(message),
                None => break,
            }
        }
        let action = told.as_ref().and_then(|message| match message.body() {
            Body::Action(action) => Some(action.clone()),
            _ => None,
        });
        Ok(Decided { state, decision, action, queued_user_messages: queue.give(told.as_ref()) })
    }

    /// Cancels the request: its state becomes `cancelled`. If it was already decided, it stays so; that is no error.
    ///
    /// # Errors
    ///
    /// As for [`Session::update`].
    pub async fn withdraw(&self) -> Result<(), Error> {
        let message = self.session.message(self.id()).await?;
        let Body::Approval(approval) = message.body().clone() else { return Ok(()) };
        if approval.state != ApprovalState::Open {
            return Ok(());
        }
        let cancelled = Body::from(Approval { state: ApprovalState::Cancelled, ..approval });
        let extras = message.draft().metadata.iter().flatten().filter(|(key, _)| !is_of_envelope(key));
        let extras: Map<String, Value> = extras.map(|(key, value)| (key.clone(), value.clone())).collect();
        let metadata = envelope::build("APPROVAL", cancelled.payload(), extras, envelope::VERSION)?;
        let update = UpdateMessage { message_metadata: Some(metadata.into()), ..UpdateMessage::default() };
        match self.session.update(self.id(), update).await {
            // Somebody was quicker.
            Err(Error::Conflict(problem)) if problem.is(ProblemCode::Decided) => Ok(()),
            other => other.map(drop),
        }
    }

    /// Returns state and decision, unless it is open.
    async fn outcome(&self) -> Result<Option<(ApprovalState, Option<Decision>)>, Error> {
        let message = self.session.message_within(Patience::Endless, self.id()).await?;
        Ok(match message.body() {
            Body::Approval(approval) if approval.state == ApprovalState::Open => None,
            Body::Approval(approval) => Some((approval.state, approval.decision.clone())),
            _ => Some((ApprovalState::Superseded, None)),
        })
    }
}

fn is_of_envelope(key: &str) -> bool {
    matches!(key, "message_type" | "version" | "payload")
}

/// Returns true if the message answers the question: the last one, unless the message refers to another.
fn answers(message: &Message, question: &str) -> bool {
    let draft = message.draft();
    draft.answers_in_words() && draft.is_about().is_none_or(|id| id == question)
}

fn decides(message: &Message, approval: &str) -> bool {
    matches!(message.body(), Body::Action(action) if action.approval_id.as_deref() == Some(approval))
}

/// The messages of people after a message, one by one. Messages after the awaited one stay in the queue.
struct Queue<'a> {
    session: &'a Session,
    after: i64,
    /// Other messages that were read.
    others: Vec<Message>,
}

impl<'a> Queue<'a> {
    fn behind(session: &'a Session, sent: &Sent) -> Self {
        Self { session, after: sent.message.seq(), others: Vec::new() }
    }

    /// Returns the next message; None if none came within these seconds.
    async fn next(&mut self, wait: u32) -> Result<Option<Message>, Error> {
        let taken = self.session.take(self.after, wait, 1, Patience::Endless).await?;
        let next = taken.messages.into_iter().next().map(Message::from);
        self.after = next.as_ref().map_or(self.after, Message::seq);
        Ok(next)
    }

    /// Marks all read messages as returned. This happens at the end, so that a cancelled wait reads them again. Returns
    /// those other than `it` that weren't returned yet.
    fn give(self, it: Option<&Message>) -> Vec<Message> {
        let mut inbox = self.session.inbox();
        inbox.give(it.map(Message::entry).cloned().into_iter().collect());
        inbox.give(self.others.into_iter().map(Message::into_entry).collect())
    }
}
