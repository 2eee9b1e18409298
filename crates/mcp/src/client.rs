//! Whose calls they are, and which session they go to.

use api::lifecycle::{EndOutcome, NewSession};
use sdk::{Error, Session, Verbatim};
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

/// Longest name of an agent, in characters.
const AGENT: usize = 255;

/// Known agents by how the name begins that their program gives itself.
const AGENTS: [(&str, &str); 5] =
    [("claude", "claude_code"), ("codex", "codex"), ("gemini", "gemini"), ("opencode", "opencode"), ("qwen", "qwen")];

/// Settings of the session before the first call.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// An existing session, by its id or a unique prefix; else the agent's own name of a session, which is made where no
    /// session has it. A new session if absent.
    pub session: Option<String>,
    /// Name of the agent. What the client calls itself if absent.
    pub agent: Option<String>,
    /// Title of a new session.
    pub title: Option<String>,
    /// Working folder of a new session.
    pub cwd: Option<String>,
    /// Without a `session`, calls go to the one session of the agent's name, and not to a new one: for requests that each stand
    /// for themselves.
    pub shared: bool,
    /// How long a person is waited for. Without end if absent.
    pub timeout: Option<Duration>,
}

/// Anything that is kept until it is dropped.
type Kept = Box<dyn Any + Send + Sync>;

/// A client of the tools: its credential, and its session, which is made or joined at the first call. Cheap to clone; clones share state.
#[derive(Clone)]
pub struct Client {
    pub(crate) verbatim: Verbatim,
    pub(crate) settings: Arc<Settings>,
    /// Cancelled when the client leaves: what it waits for is withdrawn.
    pub(crate) left: CancellationToken,
    session: Arc<OnceCell<Opened>>,
    /// Given back when the arguments are stored.
    arguments: Arc<Mutex<Option<Kept>>>,
    /// Given back with the last clone.
    _during: Arc<Option<Kept>>,
}

struct Opened {
    session: Session,
    /// It is ours to end.
    is_new: bool,
}

impl Client {
    /// Makes a client that calls this server. What its tools read is for the model that called them.
    pub fn new(verbatim: Verbatim, settings: Settings) -> Self {
        Self {
            verbatim: verbatim.for_model(),
            settings: Arc::new(settings),
            left: CancellationToken::new(),
            session: Arc::default(),
            arguments: Arc::default(),
            _during: Arc::default(),
        }
    }

    /// Sets what is cancelled when the client leaves.
    pub fn leaving(self, left: CancellationToken) -> Self {
        Self { left, ..self }
    }

    /// Keeps `arguments` until the arguments of the call are stored, and `during` until the call ends.
    pub fn keeping(self, arguments: impl Any + Send + Sync, during: impl Any + Send + Sync) -> Self {
        Self {
            arguments: Arc::new(Mutex::new(Some(Box::new(arguments)))),
            _during: Arc::new(Some(Box::new(during))),
            ..self
        }
    }

    /// Says that the arguments are stored, and only an answer is waited for.
    pub(crate) fn stored(&self) {
        self.arguments.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Returns the session, and makes or joins it first if this is the first call. `name` is what the client calls itself.
    pub(crate) async fn session(&self, name: Option<&str>) -> Result<&Session, Error> {
        let opened = self.session.get_or_try_init(|| self.open(name)).await?;
        Ok(&opened.session)
    }

    /// Returns the id of the session, once a call made or joined it.
    pub(crate) fn session_id(&self) -> Option<&str> {
        self.session.get().map(|opened| opened.session.id())
    }

    async fn open(&self, name: Option<&str>) -> Result<Opened, Error> {
        let settings = &self.settings;
        if let Some(named) = &settings.session {
            match self.verbatim.session(named).info().await {
                Ok(info) => return Ok(Opened { session: self.verbatim.session(info.id.as_str()), is_new: false }),
                Err(Error::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let agent = settings.agent.clone().unwrap_or_else(|| agent_of(name.unwrap_or_default()));
        let shared = settings.shared.then(|| format!("mcp.{agent}"));
        let new = NewSession {
            agent_session_id: settings.session.clone().or(shared),
            title: settings.title.clone(),
            cwd: settings.cwd.clone(),
            ..NewSession::from(agent.as_str())
        };
        Ok(Opened { session: self.verbatim.create_session(new).await?, is_new: true })
    }

    /// Ends the session, if this client made it.
    pub(crate) async fn end(&self) -> Result<(), Error> {
        match self.session.get() {
            Some(Opened { session, is_new: true }) => session.end(EndOutcome::Done).await,
            _ => Ok(()),
        }
    }
}

/// Returns the agent by what its program calls itself: `codex` for `codex-mcp-client`, `mcp` for a program without a name.
pub fn agent_of(name: &str) -> String {
    let known = AGENTS.iter().find(|(begin, _)| name.to_ascii_lowercase().starts_with(begin));
    let name: String = known.map_or(name, |(_, agent)| *agent).trim().chars().take(AGENT).collect();
    if name.is_empty() { "mcp".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::agent_of;

    #[test]
    fn programs_are_known_as_their_agents() {
        let named =
            ["claude-code", "codex-mcp-client", "gemini-cli-mcp-client-verbatim", "opencode", "qwen-code", "", "Zed"];
        let agents = ["claude_code", "codex", "gemini", "opencode", "qwen", "mcp", "Zed"];
        assert_eq!(named.map(agent_of), agents);
    }
}
