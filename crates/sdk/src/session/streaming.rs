//! Streaming messages.

use crate::session::{Session, current};
use crate::{Error, Message, Sent};
use api::posting::UpdateMessage;
use model::Status;

/// A streaming message. Each piece is sent with the revision to which it is appended; a piece that the server didn't
/// get is sent again with the next one.
pub struct Streaming {
    session: Session,
    /// The message as it was created, with the messages that people wrote before it.
    pub sent: Sent,
    /// All appended text.
    text: String,
    /// Number of bytes that the server has, and its revision.
    stored: usize,
    revision: i32,
}

impl Streaming {
    pub(crate) fn begin(session: Session, sent: Sent) -> Self {
        let text = sent.message.content().to_owned();
        Self { session, stored: text.len(), revision: sent.message.revision(), text, sent }
    }

    /// Returns the id of the message.
    pub fn id(&self) -> &str {
        self.sent.id()
    }

    /// Appends text. If the future is dropped, the next call sends the rest.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] if somebody else changed or retracted the message. After any other error the text is kept,
    /// and sent with the next piece.
    pub async fn append(&mut self, text: &str) -> Result<(), Error> {
        self.text.push_str(text);
        self.send(None).await.map(drop)
    }

    /// Sends the rest and sets the status `final`.
    ///
    /// # Errors
    ///
    /// As for [`Self::append`].
    pub async fn finish(mut self) -> Result<Message, Error> {
        self.send(Some(Status::Final)).await
    }

    /// Ends the message with the status `error`. The text so far stays.
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
