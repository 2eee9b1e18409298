//! A run: what an agent is given for one turn, and its end.

use crate::{Error, Session};
use api::contract::EndRunEndpoint;
use api::runs::{EndRun, RunBegun, RunPath};
use model::sdk_format::SdkMessage;
use serde_json::Value;

/// A run that began. While it is open, beginning one gives the same again, byte for byte: an agent that crashes reads it anew.
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
    /// Everything that was given, as the server sent it.
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

    /// Returns the messages of the format `messages`; of another format none, since [`Self::prompt`] has them.
    pub fn messages(&self) -> Vec<SdkMessage> {
        serde_json::from_value(self.input.prompt.clone()).unwrap_or_default()
    }

    /// Returns the prompt in the format that was asked for: an array, or a string for `text`.
    pub fn prompt(&self) -> &Value {
        &self.input.prompt
    }

    /// Returns the text for the system prompt parameter, in this run only. None without notices.
    pub fn system(&self) -> Option<&str> {
        self.input.system.as_deref()
    }

    /// Returns the notices of [`Self::system`], one by one.
    pub fn system_notices(&self) -> &[String] {
        &self.input.system_notices
    }

    /// Ends the run. The first outcome holds.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] if it ended already with another outcome. [`Error::Invalid`] names the field that is wrong.
    pub async fn end(&self, end: EndRun) -> Result<(), Error> {
        let path = RunPath { session: self.session.id().to_owned(), run: self.id.clone() };
        self.session.server().call::<EndRunEndpoint>(path, end).await.map(drop)
    }
}
