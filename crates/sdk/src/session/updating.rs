//! Methods for updating messages.

use super::Session;
use crate::retry::repeat;
use crate::{Error, Message};
use api::contract::{RetractMessage, UpdateMessageEndpoint};
use api::messages::Entry;
use api::posting::UpdateMessage;
use api::{Nothing, Problem};
use model::message_type::tool_call::ToolCall;
use model::{Body, Status, envelope};
use serde_json::{Map, Value};

impl Session {
    /// Updates a message that this agent posted. Absent fields stay unchanged.
    ///
    /// An `append` is applied once, even if it is retried, because it is sent with the revision to which it is
    /// appended.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] if the message is no longer at the revision `if_match`. [`Error::Conflict`] if its status
    /// doesn't allow the change: a `final` message can only become `retracted`.
    pub async fn update(&self, message: &str, update: UpdateMessage) -> Result<Message, Error> {
        let mut update = update;
        if update.append.is_some() && update.if_match.is_none() {
            update.if_match = Some(self.message(message).await?.revision());
        }
        let path = self.message_path(message);
        let (path, update) = (&path, &update);
        let client = self.verbatim.client();
        let mut sent_before = false;
        let answer = repeat(self.verbatim.repeats(), || {
            let again = std::mem::replace(&mut sent_before, true);
            async move {
                match client.call::<UpdateMessageEndpoint>(path.clone(), update.clone()).await {
                    Ok(updated) => Ok(updated.message),
                    Err(problem) if again => done_before(update, &problem).ok_or(problem),
                    Err(problem) => Err(problem),
                }
            }
        });
        Ok(answer.await?.into())
    }

    /// Adds the result of a posted tool call. `call` is the whole call with its `output` or `error`. It failed if it
    /// has an `error`, even with an `output`; with only an `output` it succeeded.
    ///
    /// # Errors
    ///
    /// [`Error::Envelope`] if the call has no name. Otherwise as for [`Self::update`].
    pub async fn update_tool_call(&self, message: &str, call: ToolCall) -> Result<Message, Error> {
        let envelope = Body::from(call).envelope(Map::new())?;
        let metadata = Some(envelope.into());
        self.update(message, UpdateMessage { message_metadata: metadata, ..UpdateMessage::default() }).await
    }

    /// Retracts a message. It keeps its `seq`. Retracting it again is no error.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if it can't be retracted, [`Error::NotFound`] if the session has no such message.
    pub async fn retract(&self, message: &str) -> Result<Message, Error> {
        match self.verbatim.call::<RetractMessage>(self.message_path(message), Nothing {}).await {
            Ok(updated) => Ok(updated.message.into()),
            Err(Error::Conflict(problem)) => match current(&problem) {
                Some(entry) if entry.message.draft.status == Status::Retracted => Ok(entry.into()),
                _ => Err(Error::Conflict(problem)),
            },
            Err(error) => Err(error),
        }
    }
}

/// Returns the current message from a problem, if it has one.
pub(crate) fn current(problem: &Problem) -> Option<Entry> {
    problem.current.as_ref().and_then(|current| serde_json::from_value(current.clone()).ok())
}

/// Returns the message if an earlier attempt, whose reply was lost, already made the change.
fn done_before(update: &UpdateMessage, problem: &Problem) -> Option<Entry> {
    let entry = current(problem).filter(|_| matches!(problem.status, 409 | 412))?;
    let (draft, is) = (&entry.message.draft, entry.message.revision);
    let metadata = update.message_metadata.clone().map(|metadata| envelope::normalize(Some(metadata)));
    let holds = update.if_match.is_none_or(|was| is == was + 1)
        && update.content.as_ref().is_none_or(|content| *content == draft.content)
        && update.append.as_ref().is_none_or(|more| draft.content.ends_with(more.as_str()))
        && update.status.is_none_or(|status| status == draft.status)
        && update.requires_user_input.is_none_or(|requires| requires == draft.requires_user_input)
        && metadata.is_none_or(|metadata| metadata.is_ok_and(|metadata| is_stored(metadata, draft.metadata.as_ref())));
    holds.then_some(entry)
}

/// Returns true if this metadata was stored. The server adds fields of its own, such as the time of an update.
fn is_stored(sent: Option<Map<String, Value>>, stored: Option<&Map<String, Value>>) -> bool {
    match (sent, stored) {
        (Some(sent), Some(stored)) => sent.iter().all(|(key, value)| stored.get(key) == Some(value)),
        (sent, stored) => sent.is_none() && stored.is_none(),
    }
}
