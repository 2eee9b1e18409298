//! Methods that begin runs.

use super::{Session, seconds_until};
use crate::verbatim::Verbatim;
use crate::{Error, Run};
use api::contract::BeginRunEndpoint;
use api::runs::BeginRun;
use std::time::Duration;
use tokio::time::Instant;

impl Session {
    /// Begins a run: returns what people and the system said since the last run, with the notices of this run. An open
    /// run is returned again instead.
    ///
    /// # Errors
    ///
    /// [`Error::Forbidden`] for a key without the scope `read`.
    pub async fn begin_run(&self) -> Result<Run, Error> {
        self.begin_run_with(BeginRun::default()).await
    }

    /// Begins a run with options, for example in another format or with the whole conversation. `wait` has no effect;
    /// use [`Self::next_run`] to wait.
    ///
    /// # Errors
    ///
    /// As for [`Self::begin_run`]; [`Error::Conflict`] if a run with other options is open.
    pub async fn begin_run_with(&self, begin: BeginRun) -> Result<Run, Error> {
        let begun = self.begin_or_wait(BeginRun { wait: None, ..begin }).await?;
        begun.ok_or_else(|| Error::Server(api::Problem::internal()))
    }

    /// Waits for a message that wakes the agent, and begins a run with it. None if none came within `wait`.
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
