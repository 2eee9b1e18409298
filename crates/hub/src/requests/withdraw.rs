//! Requests whose agent is gone: nobody would hear the decision.

use crate::basics::{clock, problem};
use crate::requests::{Requests, card};
use api::Problem;
use model::closed::{CloseReason, Closed};
use model::{MessageId, SessionId};
use store::StoreError;
use tokio::sync::watch;

impl Requests {
    /// Closes all open requests of a session whose agent doesn't hear of decisions any more.
    ///
    /// # Errors
    ///
    /// Those of the store: none is closed then.
    pub async fn withdraw(&self, session: &SessionId, reason: CloseReason) -> Result<(), Problem> {
        for message in self.workspace.open_requests(session).await.map_err(problem)? {
            self.close_for(session, &message, reason).await;
        }
        Ok(())
    }

    /// Closes the requests that an agent of ours left which doesn't run any more, in all sessions.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub async fn withdraw_left(&self) -> Result<(), StoreError> {
        for (session, message) in self.workspace.requests_of_ended_agents().await? {
            self.close_for(&session, &message, CloseReason::AgentEnded).await;
        }
        Ok(())
    }

    /// Closes a request that is open, and says why.
    pub async fn close_for(&self, session: &SessionId, message: &MessageId, reason: CloseReason) {
        let closed = Closed { reason, at: clock::now(), by: None, via: None };
        self.close(session, message, move |row| card::withdrawn(row, &closed)).await;
    }

    async fn withdraw_of_gone_keys(&self) -> Result<(), StoreError> {
        for (session, message) in self.workspace.requests_of_gone_keys(clock::now()).await? {
            self.close_for(&session, &message, CloseReason::KeyGone).await;
        }
        Ok(())
    }
}

/// Closes the requests of keys that hold no more: when it starts, when a key is revoked, and when one expires.
pub async fn withdraw_for_keys(requests: Requests, mut revoked: watch::Receiver<u64>) {
    loop {
        revoked.borrow_and_update();
        let now = clock::now();
        let next = match requests.withdraw_of_gone_keys().await {
            Ok(()) => requests.workspace.next_key_end(now).await,
            Err(error) => Err(error),
        };
        let next = next.unwrap_or_else(|error| {
            tracing::warn!(%error, "requests of keys that hold no more can't be closed now");
            None
        });
        tokio::select! {
            changed = revoked.changed() => if changed.is_err() { return },
            () = clock::until(next.unwrap_or(clock::NEVER)) => {}
        }
    }
}
