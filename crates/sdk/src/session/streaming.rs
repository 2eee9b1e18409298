//! A text that grows while it is written.

use crate::session::{Session, current};
use crate::{Error, Message, Sent};
use api::posting::UpdateMessage;
use model::Status;

/// A message that isn't finished. Its text is what was appended, whatever gets lost on the way: each piece is sent with
/// the revision that it is meant for, and what the server lacks is sent with the next piece.
pub struct Streaming {
    session: Session,
    /// The message as it was when it began, and what people wrote before it.
    pub sent: Sent,
    /// All that was appended.
    text: String,
    /// Bytes of it that the server has, and its revision.
    stored: usize,
    revision: i32,
}

impl Streaming {
    pub(crate) fn begin(session: Session, sent: Sent) -> Self {
        let text = sent.message.content().to_owned();
        Self { session, stored: text.len(), revision: sent.message.revision(), text, sent }
    }

    /// Returns the id of the message that grows.
    pub fn id(&self) -> &str {
        self.sent.id()
    }

    /// Adds to the text. Dropping the future loses nothing: the next call sends what is missing.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] if somebody else changed or took back the message. After any other error the text is kept,
    /// and sent with the next piece.
    pub async fn append(&mut self, text: &str) -> Result<(), Error> {
        self.text.push_str(text);
        self.send(None).await.map(drop)
    }

    /// Sends what is left and sets the status `final`.
    ///
    /// # Errors
    ///
    /// As for [`Self::append`].
    pub async fn finish(mut self) -> Result<Message, Error> {
        self.send(Some(Status::Final)).await
    }

    /// Breaks the text off: what is there stays, with the status `error`.
    ///
    /// # Errors
    ///
    /// As for [`Self::append`].
    pub async fn fail(mut self) -> Result<Message, Error> {
        self.send(Some(Status::Error)).await
    }

    async fn send(&mut self, status: Option<Status>) -> Result<Message, Error> {
        loop {
            let rest = self.text.get(self.stored..).unwrap_or_default();
            let append = (!rest.is_empty()).then(|| rest.to_owned());
            let update = UpdateMessage { append, status, if_match: Some(self.revision), ..UpdateMessage::default() };
            let message = match self.session.update(self.id(), update).await {
                Ok(message) => message,
                // An earlier piece arrived, and we never heard of it.
                Err(Error::Changed(problem)) => match current(&problem).map(Message::from) {
                    Some(message) if self.text.starts_with(message.content()) && message.revision() > self.revision => {
                        message
                    }
                    _ => return Err(Error::Changed(problem)),
                },
                Err(error) => return Err(error),
            };
            (self.stored, self.revision) = (message.content().len(), message.revision());
            if self.stored == self.text.len() && status.is_none_or(|status| status == message.draft().status) {
                return Ok(message);
            }
        }
    }
}
