//! The hub as one authenticated caller may use it.

use crate::caller::{Caller, Person, Surface};
use crate::context::Hub;
use crate::context::compute::{Job, Lane};
use api::Problem;
use redact::Redactor;
use std::sync::Arc;

#[derive(Clone)]
pub struct Scoped {
    pub hub: Hub,
    pub caller: Caller,
    /// The id of the log-in, of a browser.
    pub login: Option<Arc<str>>,
    /// Where a person speaks.
    pub surface: Surface,
    /// The person who speaks in a channel.
    pub person: Option<Arc<Person>>,
    /// Masks what is read of sessions and messages, where a redacted copy is wanted. Files can't be read then.
    pub redactor: Option<Arc<Redactor>>,
    /// Calls that are posted here run until their result is told. Otherwise nobody tells it, and they are over at once.
    pub tells_results: bool,
    /// True if the reply goes to a model, whoever the caller is. Always true for an agent's key.
    pub is_for_model: bool,
}

impl Scoped {
    pub fn new(hub: Hub, caller: Caller) -> Self {
        let surface = if caller == Caller::Local { Surface::Terminal } else { Surface::Web };
        Self {
            hub,
            caller,
            login: None,
            surface,
            person: None,
            redactor: None,
            tells_results: true,
            is_for_model: false,
        }
    }

    /// Returns the name of the person who speaks: in a channel, or at a page of ours. None for the owner of the machine who
    /// has none, and for programs.
    pub fn author(&self) -> Option<&str> {
        let in_channel = self.person.as_ref().map(|person| person.name.as_str());
        in_channel.or_else(|| self.caller.user()?.name.as_deref())
    }

    /// Runs a job for the caller.
    ///
    /// # Errors
    ///
    /// Those of [`Compute::run`](super::compute::Compute::run).
    pub async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Job) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let lane = if let Caller::Agent(_) = self.caller { Lane::Agents } else { Lane::People };
        self.hub.compute.run(lane, work).await
    }
}
