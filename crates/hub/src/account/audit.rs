//! Entries of the audit log: who they are by, and refused log-ins, which are folded.

use crate::account::login;
use crate::basics::clock;
use crate::basics::problem::report;
use crate::caller::Caller;
use crate::context::{Hub, Scoped, TopicState};
use model::audit::{Actor, Event, Note};
use model::browser;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::Workspace;

/// Refused log-ins within this time are one entry.
const FOLDED: Duration = Duration::from_mins(1);

/// Refused log-ins since the last entry.
#[derive(Default)]
pub struct Refusals(Mutex<Folded>);

#[derive(Default)]
struct Folded {
    count: u64,
    /// A task writes them when their time is over.
    is_waiting: bool,
}

impl TopicState for Refusals {}

impl Scoped {
    async fn actor(&self) -> Actor {
        if let Some(person) = &self.person {
            return Actor::Person { channel: person.channel.clone(), name: person.name.clone() };
        }
        match &self.caller {
            Caller::Local => Actor::Command,
            Caller::Agent(agent) => Actor::Key { id: agent.id.clone(), name: agent.name.clone() },
            Caller::User(user) => {
                let name = user.name.clone();
                self.hub.logged_in_actor(self.login.as_deref().unwrap_or_default(), name).await
            }
        }
    }

    /// The workspace, with the caller as the one who changes it.
    pub(crate) async fn signed(&self) -> Workspace {
        self.hub.workspace.signed(self.actor().await, clock::now())
    }

    /// An entry by the caller.
    pub(crate) async fn note(&self, what: Event) -> Note {
        Note { at: clock::now(), who: self.actor().await, what }
    }

    /// Writes an entry of its own. What it tells was done: a log that can't be written to is no error.
    pub async fn record(&self, what: Event) {
        report(self.signed().await.record_event(what).await);
    }
}

impl Hub {
    /// The person with this log-in.
    pub(crate) async fn logged_in_actor(&self, login: &str, name: Option<String>) -> Actor {
        let logins = self.all_logins().await.unwrap_or_default();
        let found = logins.iter().find(|known| login::id_of_hash(&known.hash) == login);
        let browser = found.map_or_else(String::new, |known| browser::name(&known.label));
        Actor::Owner { login: login.to_owned(), browser, name }
    }

    /// Counts a refused log-in. The first one in a minute is written at once, the others together when it is over.
    pub(crate) async fn count_refusal(&self) {
        {
            let mut folded = self.folded_refusals();
            folded.count += 1;
            if std::mem::replace(&mut folded.is_waiting, true) {
                return;
            }
        }
        self.write_refusals().await;
        let hub = self.clone();
        tokio::spawn(async move {
            while hub.shutdown.run_until_cancelled(tokio::time::sleep(FOLDED)).await.is_some() {
                if !hub.write_refusals().await {
                    return;
                }
            }
        });
    }

    /// Writes what was counted since the last entry. False if that is nothing: then nobody waits any more.
    pub async fn write_refusals(&self) -> bool {
        let count = {
            let mut folded = self.folded_refusals();
            folded.is_waiting = folded.count > 0;
            std::mem::take(&mut folded.count)
        };
        if count > 0 {
            let stranger = self.workspace.signed(Actor::Stranger, clock::now());
            report(stranger.record_event(Event::LogInRefused { count }).await);
        }
        count > 0
    }

    fn folded_refusals(&self) -> MutexGuard<'_, Folded> {
        self.state::<Refusals>().0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
