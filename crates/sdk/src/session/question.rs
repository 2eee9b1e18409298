//! Asking people, and waiting for what they say.

use crate::retry::Patience;
use crate::session::Session;
use crate::{Error, Message, Sent};
use api::ProblemCode;
use api::posting::UpdateMessage;
use model::message_type::action::Action;
use model::message_type::approval::{Approval, ApprovalState, Decision};
use model::{Body, Status, envelope};
use serde_json::{Map, Value};

/// Seconds of one request that waits; then it is seen whether the question still stands.
const WAIT: u32 = 25;

/// A question that was posted. [`Self::answer`] waits for what a person says to it.
#[derive(Clone)]
pub struct Question {
    pub(crate) session: Session,
    /// The question as it was stored, and what people wrote before it.
    pub sent: Sent,
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The person's message: a TEXT, or an ACTION if a button was pressed.
    pub message: Message,
    /// What else people wrote, before the question and while it was open. Given once.
    pub queued_user_messages: Vec<Message>,
}

impl Answer {
    /// Returns what was typed or chosen, as a model should read it.
    pub fn text(&self) -> String {
        self.message.text()
    }
}

/// An APPROVAL that was posted. [`Self::decision`] waits until somebody decides it.
#[derive(Clone)]
pub struct ApprovalRequest {
    pub(crate) session: Session,
    /// The APPROVAL as it was stored, and what people wrote before it.
    pub sent: Sent,
}

/// What became of an APPROVAL.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// How it ended: `allowed_once`, `denied`, `expired`. Never `open`.
    pub state: ApprovalState,
    /// Who decided what. None if nobody did, as when it expired.
    pub decision: Option<Decision>,
    /// The person's ACTION: labels of what was chosen, a form's values, a text. None if nobody decided it in Verbatim.
    pub action: Option<Action>,
    /// What else people wrote, before it was asked and while it was open. Given once.
    pub queued_user_messages: Vec<Message>,
}

impl Decided {
    /// Returns whether a person allowed it. Any other outcome is no permission.
    pub fn allowed(&self) -> bool {
        matches!(self.state, ApprovalState::AllowedOnce | ApprovalState::AllowedAlways)
    }

    /// Returns what was chosen, typed or filled in; empty if nobody answered.
    pub fn text(&self) -> String {
        self.action.as_ref().map(Action::answer).unwrap_or_default()
    }
}

impl Question {
    /// Returns the message id of the question.
    pub fn id(&self) -> &str {
        self.sent.id()
    }

    /// Waits for the answer, however long it takes, or until the question is taken back. A server that can't be reached
    /// is asked again without end. Dropping the future loses nothing: call it again.
    ///
    /// # Errors
    ///
    /// [`Error::Withdrawn`] once the question is taken back; else a refusal that won't pass, as after the key was
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

    /// Whether somebody is still asked.
    async fn stands(&self) -> Result<bool, Error> {
        let message = self.session.message_within(Patience::Endless, self.id()).await?;
        Ok(message.draft().status != Status::Retracted && message.draft().requires_user_input)
    }

    /// Takes the question back: the session no longer waits for its answer. Does nothing if it was taken back already.
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

    /// Waits for the decision, however long it takes: also until it expires, is taken back or is decided elsewhere. A
    /// server that can't be reached is asked again without end. Dropping the future loses nothing: call it again.
    ///
    /// # Errors
    ///
    /// A refusal that won't pass, as after the key was revoked.
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

    /// Takes the request back: it becomes `cancelled`. One that is decided stays so, which is no error.
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

    /// State and decision, unless it is open.
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

/// A person's words answer what was asked last, unless they say that they are about something else.
fn answers(message: &Message, question: &str) -> bool {
    let draft = message.draft();
    draft.answers_in_words() && draft.is_about().is_none_or(|id| id == question)
}

fn decides(message: &Message, approval: &str) -> bool {
    matches!(message.body(), Body::Action(action) if action.approval_id.as_deref() == Some(approval))
}

/// What people write after a message, one by one. What comes after the one that is waited for stays in the queue.
struct Queue<'a> {
    session: &'a Session,
    after: i64,
    /// What was read and isn't it.
    others: Vec<Message>,
}

impl<'a> Queue<'a> {
    fn behind(session: &'a Session, sent: &Sent) -> Self {
        Self { session, after: sent.message.seq(), others: Vec::new() }
    }

    /// The next message; None if none came within these seconds.
    async fn next(&mut self, wait: u32) -> Result<Option<Message>, Error> {
        let taken = self.session.take(self.after, wait, 1, Patience::Endless).await?;
        let next = taken.messages.into_iter().next().map(Message::from);
        self.after = next.as_ref().map_or(self.after, Message::seq);
        Ok(next)
    }

    /// Marks all that was read as given. Only now: who gives up waiting before reads it again. Returns those beside `it`
    /// that were given to nobody yet.
    fn give(self, it: Option<&Message>) -> Vec<Message> {
        let mut inbox = self.session.inbox();
        inbox.give(it.map(Message::entry).cloned().into_iter().collect());
        inbox.give(self.others.into_iter().map(Message::into_entry).collect())
    }
}
