//! Messages of the host: operational messages for people, stored with the role `host` and streamed like all others.
//! Models never read them.
//!
//! A message about one session is stored there. One about the whole server goes to each session with an open run, and
//! to the session `operations` if it exists; `verbatim notify` creates it.

mod at_work;
pub mod endpoints;

pub use at_work::AtWork;
pub(crate) use endpoints::*;

pub use store::DiskSpace;

use crate::basics::hash::create_hash;
use crate::basics::{clock, problem};
use crate::context::Hub;
use crate::context::writer::Failure;
use crate::writing::posting;
use api::{Problem, ProblemCode};
use model::{Body, Draft, MessageId, Provenance, Role, SessionFacts, SessionId};
use serde_json::{Map, Value};
use store::{LivePost, LiveWrite, NewSession, Origin, Refusal};

/// Id of the session of what isn't about any other.
pub const OPERATIONS: &str = "operations";
const AGENT: &str = "verbatim";
/// Key of the server's version at its last start.
const VERSION: &str = "version";

/// An operational event.
#[derive(Debug, Clone, PartialEq)]
pub enum HostEvent {
    Started {
        version: String,
    },
    Updated {
        from: String,
        to: String,
    },
    Stopping,
    ImportFinished {
        files: u64,
        sessions: u64,
        messages: u64,
    },
    AgentFailed {
        error: Option<String>,
    },
    AgentLost,
    KeyRevoked {
        name: String,
    },
    /// Runs of a schedule whose time came while no server was there.
    RunsMissed {
        count: i64,
        /// When the last of them was due, for people.
        last: String,
        prompt: String,
    },
    DiskNearlyFull {
        free_mib: u64,
    },
    /// A backup that was due wasn't made.
    BackupFailed {
        error: String,
    },
    /// The server's certificate wasn't renewed, or there is none yet.
    CertificateFailed {
        error: String,
    },
    /// A rule of retention deleted sessions.
    SessionsRetired {
        rule: String,
        sessions: u64,
    },
    /// A budget of the settings is nearly spent, or spent.
    Budget {
        /// `daily` or `monthly`.
        period: &'static str,
        spent_usd: f64,
        limit_usd: f64,
    },
    /// An operator reports a deployment.
    Deployed {
        text: String,
    },
    /// An operator's own words.
    Notice {
        text: String,
    },
}

impl HostEvent {
    /// The word that the message's metadata has.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Started { .. } => "started",
            Self::Updated { .. } => "updated",
            Self::Stopping => "stopping",
            Self::ImportFinished { .. } => "import_finished",
            Self::AgentFailed { .. } => "agent_failed",
            Self::AgentLost => "agent_lost",
            Self::KeyRevoked { .. } => "key_revoked",
            Self::RunsMissed { .. } => "runs_missed",
            Self::DiskNearlyFull { .. } => "disk_nearly_full",
            Self::BackupFailed { .. } => "backup_failed",
            Self::CertificateFailed { .. } => "certificate_failed",
            Self::SessionsRetired { .. } => "sessions_retired",
            Self::Budget { .. } => "budget",
            Self::Deployed { .. } => "deployed",
            Self::Notice { .. } => "notice",
        }
    }

    /// The message, as markdown.
    pub fn text(&self) -> String {
        match self {
            Self::Started { version } => format!("Verbatim {version} started"),
            Self::Updated { from, to } => format!("Verbatim was updated from {from} to {to}"),
            Self::Stopping => "Verbatim is stopping. An open run can be continued after the restart".to_owned(),
            Self::ImportFinished { files, sessions, messages } => {
                format!("Import finished: {files} files, {sessions} sessions, {messages} new messages")
            }
            Self::AgentFailed { error: Some(error) } => format!("The agent's run failed: {error}"),
            Self::AgentFailed { error: None } => "The agent's run failed".to_owned(),
            Self::AgentLost => {
                "The agent may have crashed: its run is open, but it has sent no heartbeat for a minute".to_owned()
            }
            Self::KeyRevoked { name } => format!("The key `{name}` was revoked: its agent can't continue"),
            Self::RunsMissed { count: 1, last, prompt } => {
                format!(
                    "A scheduled run at {last} was missed because no server was running. It isn't made up for: “{prompt}”"
                )
            }
            Self::RunsMissed { count, last, prompt } => {
                format!(
                    "{count} scheduled runs were missed because no server was running, the last at {last}. They aren't made up for: “{prompt}”"
                )
            }
            Self::DiskNearlyFull { free_mib } => {
                format!("The disk is nearly full: {free_mib} MiB are left. Delete sessions, or free space elsewhere")
            }
            Self::BackupFailed { error } => format!("The backup that was due wasn't made: {error}"),
            Self::CertificateFailed { error } => {
                format!("The server has no new certificate, and tries again within hours: {error}")
            }
            Self::SessionsRetired { rule, sessions } => {
                let noun = if *sessions == 1 { "session" } else { "sessions" };
                format!("The retention rule `{rule}` deleted {sessions} {noun}. They can be restored for 30 days")
            }
            Self::Budget { period, spent_usd, limit_usd } => {
                let all = if spent_usd >= limit_usd { "is spent" } else { "is nearly spent" };
                format!(
                    "The {period} budget {all}: ${spent_usd:.2} of ${limit_usd:.2}. Agents continue: a budget stops nothing"
                )
            }
            Self::Deployed { text } | Self::Notice { text } => text.clone(),
        }
    }
}

/// A message of the host, to be stored in any session.
#[derive(Debug, Clone)]
pub struct HostMessage {
    id: Option<String>,
    event: &'static str,
    text: String,
}

impl HostMessage {
    pub fn new(event: &HostEvent) -> Self {
        Self { id: None, event: event.word(), text: event.text() }
    }

    /// Gives it an id: under one id a message is stored once.
    pub fn with_id(self, id: String) -> Self {
        Self { id: Some(id), ..self }
    }

    /// The message as a post.
    pub fn post(&self, session: &SessionId) -> Result<LivePost, Problem> {
        let id = match &self.id {
            Some(id) => MessageId::parse(id.as_str()).map_err(|error| Problem::field("/id", &error.to_string()))?,
            None => posting::new_id(),
        };
        let metadata = Map::from_iter([("host_event".to_owned(), Value::from(self.event))]);
        let draft = Draft {
            provenance: Provenance::Ourselves,
            metadata: Some(metadata),
            ..Draft::text(id, Role::Host, "host", self.text.as_str(), clock::now())
        };
        let body = Body::of(&draft);
        let create_hash = create_hash(&(self.event, &self.text))?;
        LivePost::new(session.clone(), posting::new_message(draft, body), create_hash).map_err(problem)
    }
}

impl Hub {
    /// Stores a message of the host in a session.
    pub async fn post_host_message(&self, session: &SessionId, message: &HostMessage) -> Result<(), Failure> {
        let post = message.post(session).map_err(Failure::Problem)?;
        self.writer.write(LiveWrite::Post(Box::new(post))).await.map(drop)
    }

    /// Like [`Self::post_host_message`], where nobody waits for it: a failure is logged.
    pub async fn tell_session(&self, session: &SessionId, message: &HostMessage) {
        if let Err(failure) = self.post_host_message(session, message).await {
            tracing::warn!(?failure, %session, event = message.event, "a message of the host isn't stored");
        }
    }

    /// Stores a message wherever it concerns somebody: in each session with an open run, and in `operations`.
    pub async fn tell_all(&self, message: &HostMessage) {
        match self.listeners().await {
            Ok(sessions) => {
                for session in sessions {
                    self.tell_session(&session, message).await;
                }
            }
            Err(problem) => tracing::warn!(%problem, event = message.event, "a message of the host isn't stored"),
        }
    }

    /// Like [`Self::tell_all`], unless this was told last: what is tried again fails in the same words. Returns whether it
    /// is news.
    pub async fn tell_news(&self, told: &mut Option<String>, event: &HostEvent) -> bool {
        let text = event.text();
        if told.as_ref() == Some(&text) {
            return false;
        }
        self.tell_all(&HostMessage::new(event)).await;
        *told = Some(text);
        true
    }

    /// Sessions with an open run, and those whose agent runs here.
    pub async fn sessions_at_work(&self) -> Result<Vec<SessionId>, Problem> {
        let found = self.workspace.sessions_with_runs(clock::now()).await.map_err(problem)?;
        let mut sessions: Vec<SessionId> = found.into_iter().map(|(session, _)| session.id).collect();
        sessions.extend(self.state::<AtWork>().sessions());
        Ok(sessions)
    }

    async fn listeners(&self) -> Result<Vec<SessionId>, Problem> {
        let mut sessions = self.sessions_at_work().await?;
        let operations = self.operations().await?.filter(|operations| !sessions.contains(operations));
        sessions.extend(operations);
        Ok(sessions)
    }

    /// The session `operations`, if there is one and it is ours.
    async fn operations(&self) -> Result<Option<SessionId>, Problem> {
        let id = operations_id()?;
        let session = self.workspace.session(&id, clock::now()).await.map_err(problem)?;
        Ok(session.filter(|session| session.agent == AGENT && session.key_id.is_none()).map(|session| session.id))
    }

    /// The session `operations`, which is made if there is none.
    pub async fn make_operations(&self) -> Result<SessionId, Problem> {
        if let Some(id) = self.operations().await? {
            return Ok(id);
        }
        let id = operations_id()?;
        let new = NewSession {
            id: id.clone(),
            agent: AGENT.to_owned(),
            key: OPERATIONS.to_owned(),
            parent_key: None,
            facts: SessionFacts { title: Some("Operations".to_owned()), ..SessionFacts::default() },
            key_id: None,
            create_hash: Some(create_hash(&OPERATIONS)?),
            origin: Origin::Posts,
            machine: None,
        };
        self.writer.create(new).await.map_err(|failure| match failure {
            Failure::Problem(problem) => problem,
            Failure::Refused(Refusal::Deleted { .. }) => {
                Problem::new(ProblemCode::NameOfDeleted, "The session `operations` was deleted")
                    .hint("Restore it, or name a session with `session`")
            }
            Failure::Refused(_) => {
                Problem::new(ProblemCode::SessionTaken, "The session `operations` belongs to another agent")
                    .hint("Name a session with `session`")
            }
        })
    }

    /// Says that the server started, or that it is another version than before.
    pub async fn tell_start(&self) {
        let version = self.settings.version.clone();
        let before = self.workspace.meta(VERSION).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the last version can't be read");
            None
        });
        let event = match before.filter(|before| *before != version) {
            Some(from) => HostEvent::Updated { from, to: version.clone() },
            None => HostEvent::Started { version: version.clone() },
        };
        self.tell_all(&HostMessage::new(&event)).await;
        let change = |before: Option<String>| ((before.as_ref() != Some(&version)).then(|| version.clone()), None);
        let noted = self.workspace.change_meta(VERSION, clock::now(), change).await;
        if let Err(error) = noted {
            tracing::warn!(%error, "the version can't be noted");
        }
    }

    /// Says that the server stops. Writes by itself: the writer has ended by then.
    pub async fn tell_stop(&self) {
        let message = HostMessage::new(&HostEvent::Stopping);
        let posts = async {
            let sessions = self.listeners().await?;
            sessions.iter().map(|session| message.post(session)).collect::<Result<Vec<_>, Problem>>()
        };
        let written = async {
            let writes: Vec<LiveWrite> = posts.await?.into_iter().map(|post| LiveWrite::Post(Box::new(post))).collect();
            if !writes.is_empty() {
                self.workspace.write_live(&writes, clock::now()).await.map_err(problem)?;
            }
            Ok::<(), Problem>(())
        };
        if let Err(problem) = written.await {
            tracing::warn!(%problem, "that the server stops isn't stored");
        }
    }

    /// Says to the sessions of a key that it was revoked.
    pub(crate) async fn tell_revoked(&self, key_id: &str, name: String) {
        let message = HostMessage::new(&HostEvent::KeyRevoked { name });
        let found = self.workspace.sessions_with_runs(clock::now()).await.unwrap_or_default();
        for (session, _) in found.into_iter().filter(|(session, _)| session.key_id.as_deref() == Some(key_id)) {
            self.tell_session(&session.id, &message).await;
        }
        if let Ok(Some(operations)) = self.operations().await {
            self.tell_session(&operations, &message).await;
        }
    }
}

fn operations_id() -> Result<SessionId, Problem> {
    SessionId::parse(OPERATIONS).map_err(|_| Problem::internal())
}
