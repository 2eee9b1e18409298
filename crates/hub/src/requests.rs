//! Requests: messages that wait for a person.
//!
//! Agents' hooks, agents that are started here, and agents that post ask in the same way. [`Requests::post`] writes a
//! card, [`Requests::adopt`] makes the row that a transcript brought of the same request the card, [`Requests::change`]
//! and [`Requests::close`] write what becomes of it, [`Requests::wait`] returns once it isn't open any more, and
//! [`Requests::decide`] writes a person's decision. What is asked, and how an answer reads, each of them knows alone.
//!
//! - [`card`]: cards as messages. [`shown`]: what a person sees of one, and its hash. `withdraw`: requests whose agent
//!   is gone.
//! - [`decisions`]: an approval is decided; `dismiss`: put away. [`buttons`]: a button is pressed, of a file
//!   ([`file_actions`]), a review ([`review_actions`]) or a declared type ([`declared`]). `record`: how all of these
//!   are written.
//! - [`asks`]: what waits, listed. [`waiting`]: for which of it a hook waits here. [`allow_rules`]: what is always
//!   allowed.
//!
//! A decision is handed to those who wait for its message. Another server on the same database reads it from there.

pub mod allow_rules;
pub mod asks;
pub mod buttons;
pub mod card;
pub mod decisions;
pub mod declared;
mod dismiss;
pub mod file_actions;
mod record;
pub mod review_actions;
pub mod shown;
pub mod waiting;
mod withdraw;

pub(crate) use allow_rules::{list_rules, revoke_rule};
pub(crate) use asks::list_asks;
pub(crate) use decisions::decide;

pub use withdraw::withdraw_for_keys;

use crate::context::Hub;
use crate::context::message_waiters::{MessageChange, MessageWaiters};
use crate::context::writer::{Failure, Writer};
use crate::writing::refusal::refusal;
use api::Problem;
use card::changed;
use model::audit::Note;
use model::message_type::action::Action;
use model::message_type::approval::Approval;
use model::{Body, Draft, MessageId, Provenance, SessionId};
use store::{
    ChannelEvent, LiveChange, LiveDone, LivePost, LiveWrite, Objection, Refusal, Rule, StoredMessage, Workspace,
};

/// The requests of a hub. Cheap to clone.
#[derive(Clone)]
pub struct Requests {
    workspace: Workspace,
    writer: Writer,
    waiters: MessageWaiters,
}

/// A request that isn't open any more.
pub struct Ended {
    pub draft: Draft,
    /// The message that tells the agent what a person decided; None where nobody did.
    pub action: Option<Action>,
}

/// A person's decision that is to be written.
pub struct NewDecision {
    pub session: SessionId,
    pub message: MessageId,
    /// The rule looks at the calls that the message is about, too.
    pub needs_calls: bool,
    pub rule: Rule,
    /// For the audit log.
    pub note: Note,
    /// The event of a channel by which it came: each has its effect once.
    pub event: Option<ChannelEvent>,
}

/// Outcome of a decision.
pub enum Outcome {
    Now {
        message: Box<StoredMessage>,
        /// The message that tells the agent.
        action: Box<StoredMessage>,
        /// Position of the feed.
        pos: i64,
    },
    /// Somebody was quicker: the message as it is.
    Before(Box<StoredMessage>),
}

impl Requests {
    pub fn of(hub: &Hub) -> Self {
        let waiters = hub.message_waiters.clone();
        Self { workspace: hub.workspace.clone(), writer: hub.writer.clone(), waiters }
    }

    /// Posts a card. Returns false if its id has a message already, whatever that says. The same hash doesn't make it
    /// the same request.
    pub async fn post(&self, card: LivePost) -> Result<bool, Problem> {
        match self.writer.write(LiveWrite::Post(Box::new(card))).await {
            Ok((LiveDone::Posted(done), _)) => Ok(!done.replayed),
            Ok(_) => Err(Problem::internal()),
            Err(Failure::Refused(Refusal::Conflict)) => Ok(false),
            Err(failure) => Err(refusal(failure)),
        }
    }

    /// Makes an open row the card of a request, where `is_same` says that it asks the same. Returns false if the row
    /// isn't open, or asks something else.
    pub async fn adopt(
        &self,
        session: &SessionId,
        card: Draft,
        is_same: impl Fn(&Draft) -> bool + Send + Sync + 'static,
    ) -> Result<bool, Problem> {
        let id = card.id.clone();
        let adopt = move |row: &Draft| {
            (Approval::open_in(row).is_some() && is_same(row)).then(|| {
                card::completed(Draft {
                    metadata: card.metadata.clone(),
                    provenance: Provenance::Ourselves,
                    requires_user_input: false,
                    ..row.clone()
                })
            })
        };
        self.change(session, &id, adopt).await
    }

    /// Changes a card, or another message of ours. Returns false if `change` returns None, or the message is gone.
    pub async fn change(
        &self,
        session: &SessionId,
        message: &MessageId,
        change: impl Fn(&Draft) -> Option<Draft> + Send + Sync + 'static,
    ) -> Result<bool, Problem> {
        let rule = move |current: &StoredMessage, _: &[StoredMessage]| {
            change(&current.message.draft).map(changed).ok_or(Refusal::Rule(Objection::Decided, None))
        };
        let (session, message, rule) = (session.clone(), message.clone(), Box::new(rule));
        let change = LiveChange { session, message, if_match: None, needs_calls: false, rule, note: None };
        match self.writer.write(LiveWrite::Change(Box::new(change))).await {
            Ok(_) => Ok(true),
            Err(Failure::Refused(
                Refusal::Rule(..) | Refusal::NoMessage | Refusal::NoSession | Refusal::Deleted { .. },
            )) => Ok(false),
            Err(failure) => Err(refusal(failure)),
        }
    }

    /// Closes a card that nobody decided. One that can't be closed now is closed when a server starts.
    pub async fn close(
        &self,
        session: &SessionId,
        message: &MessageId,
        closed: impl Fn(&Draft) -> Option<Draft> + Send + Sync + 'static,
    ) {
        if let Err(problem) = self.change(session, message, closed).await {
            tracing::debug!(%problem, "a request can't be closed now");
        }
    }

    /// Waits until a request isn't open any more. None if its message is gone.
    pub async fn wait(&self, session: &SessionId, message: &MessageId) -> Option<Ended> {
        // Listens before it reads.
        let mut waiter = self.waiters.of(session, message);
        loop {
            if let Some(written) = waiter.last_written()
                && let Some(ended) = ended(&written)
            {
                return Some(ended);
            }
            match self.read(session, message).await {
                Ok(Some(change)) => match ended(&change) {
                    Some(ended) => return Some(ended),
                    None => waiter.note_seq(change.message.message.seq),
                },
                Ok(None) => return None,
                // A database that can't be reached for a moment: the next change is another chance.
                Err(error) => tracing::warn!(%error, "a request can't be read"),
            }
            waiter.changed().await;
        }
    }

    /// Reads a request, with the message that tells of its decision.
    async fn read(&self, session: &SessionId, message: &MessageId) -> Result<Option<MessageChange>, store::StoreError> {
        let Some(stored) = self.workspace.message(session, message).await? else { return Ok(None) };
        let is_decided =
            matches!(Body::of(&stored.message.draft), Body::Approval(approval) if approval.state.is_persons());
        let follow_up = if is_decided { self.workspace.reply_to(session, message, |_| true).await? } else { None };
        Ok(Some(MessageChange { message: stored, follow_up }))
    }

    /// Writes a decision, with the message that tells the agent.
    pub async fn decide(&self, decision: NewDecision) -> Result<Outcome, Problem> {
        let NewDecision { session, message, needs_calls, rule, note, event } = decision;
        let change = Box::new(LiveChange { session, message, if_match: None, needs_calls, rule, note: Some(note) });
        let change = match event {
            Some(event) => LiveWrite::Once(event, change),
            None => LiveWrite::Change(change),
        };
        match self.writer.write(change).await {
            Ok((LiveDone::Changed { message, follow_up: Some(action) }, pos)) => {
                Ok(Outcome::Now { message, action, pos })
            }
            Ok(_) => Err(Problem::internal()),
            Err(Failure::Refused(Refusal::Rule(Objection::Decided, Some(current)))) => Ok(Outcome::Before(current)),
            Err(failure) => Err(refusal(failure)),
        }
    }
}

fn ended(change: &MessageChange) -> Option<Ended> {
    let draft = &change.message.message.draft;
    if Approval::open_in(draft).is_some() {
        return None;
    }
    let action = change.follow_up.as_ref().and_then(|told| match Body::of(&told.message.draft) {
        Body::Action(action) => Some(action),
        _ => None,
    });
    Some(Ended { draft: draft.clone(), action })
}
