//! A run: the input of an agent for one turn, and its end.

use crate::{Error, Session};
use api::contract::EndRunEndpoint;
use api::runs::{EndRun, RunBegun, RunPath};
use model::sdk_format::SdkMessage;
use serde_json::Value;

/// An open run. Until it is ended, beginning a run returns it again, byte for byte, for an agent that crashed.
///
/// ```no_run
/// # async fn run(session: sdk::Session) -> Result<(), sdk::Error> {
/// use sdk::EndRun;
///
/// let run = session.begin_run().await?;
/// for message in run.messages() {
///     println!("{}: {}", message.role, message.content);
/// }
/// session.send_message("Done.").await?;
/// run.end(EndRun::default()).await
/// # }
/// ```
#[derive(Clone)]
pub struct Run {
    session: Session,
    id: String,
    /// The input of the run, as the server sent it.
    pub input: RunBegun,
}

impl Run {
    pub(crate) fn new(session: Session, input: RunBegun) -> Option<Self> {
        Some(Self { session, id: input.run.clone()?, input })
    }

    /// Returns the id of the run.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the messages if the format is `messages`; otherwise none, see [`Self::prompt`].
    pub fn messages(&self) -> Vec<SdkMessage> {
        serde_json::from_value(self.input.prompt.clone()).unwrap_or_default()
    }

    /// Returns the prompt in the requested format: an array, or a string for `text`.
    pub fn prompt(&self) -> &Value {
        &self.input.prompt
    }

    /// Returns the text for the system prompt, in this run only. None if there are no notices.
    pub fn system(&self) -> Option<&str> {
        self.input.system.as_deref()
    }

    /// Returns the notices of [`Self::system`] separately.
    pub fn system_notices(&self) -> &[String] {
        &self.input.system_notices
    }

    /// Ends the run. The first outcome counts.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if it has already ended with another outcome. [`Error::Invalid`] names the invalid field.
    pub async fn end(&self, end: EndRun) -> Result<(), Error> {
        let path = RunPath { session: self.session.id().to_owned(), run: self.id.clone() };
        self.session.server().call::<EndRunEndpoint>(path, end).await.map(drop)
    }
}
