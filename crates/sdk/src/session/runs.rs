//! Beginning runs.

use super::{Session, seconds_until};
use crate::verbatim::Verbatim;
use crate::{Error, Run};
use api::contract::BeginRunEndpoint;
use api::runs::BeginRun;
use std::time::Duration;
use tokio::time::Instant;

impl Session {
    /// Begins a run: what people and the system said since the last one, with the notices of this run. A run that is open is
    /// given again instead.
    ///
    /// # Errors
    ///
    /// [`Error::Forbidden`] for a key without the scope `read`.
    pub async fn begin_run(&self) -> Result<Run, Error> {
        self.begin_run_with(BeginRun::default()).await
    }

    /// Begins a run in another format, with the whole conversation, or with its notices in the prompt. `wait` has no effect:
    /// [`Self::next_run`] waits.
    ///
    /// # Errors
    ///
    /// As for [`Self::begin_run`]; [`Error::Conflict`] if a run is open that was begun in another format.
    pub async fn begin_run_with(&self, begin: BeginRun) -> Result<Run, Error> {
        let begun = self.begin_or_wait(BeginRun { wait: None, ..begin }).await?;
        begun.ok_or_else(|| Error::Server(api::Problem::internal()))
    }

    /// Waits for something that wakes the agent, and begins a run with it. None if nothing came within `wait`.
    ///
    /// # Errors
    ///
    /// As for [`Self::begin_run_with`].
    pub async fn next_run(&self, begin: BeginRun, wait: Duration) -> Result<Option<Run>, Error> {
        let until = Instant::now() + wait;
        loop {
            let run = self.begin_or_wait(BeginRun { wait: Some(seconds_until(until)), ..begin.clone() }).await?;
            if run.is_some() || Instant::now() >= until {
                return Ok(run);
            }
        }
    }

    async fn begin_or_wait(&self, begin: BeginRun) -> Result<Option<Run>, Error> {
        let repeats = self.verbatim.repeats();
        let begun = self.verbatim.call_long::<BeginRunEndpoint>(repeats, self.path(), begin).await?;
        if begun.run.is_some() {
            // The run gave it: the queue goes on behind.
            self.inbox().give_all(Vec::new(), begun.to);
        }
        Ok(Run::new(self.clone(), begun))
    }

    pub(crate) fn server(&self) -> &Verbatim {
        &self.verbatim
    }
}
