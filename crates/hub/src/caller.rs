//! The caller of a request, independent of topics.

use api::account::TERMINAL;
use api::keys::Scope;
use api::{Problem, ProblemCode};
use serde_json::{Value, json};
use std::sync::Arc;
use store::{ChannelEvent, Usage};

/// The authenticated caller. The outer layers derive it from a credential, which the inner ones never see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// A person who logged in with the browser.
    Owner,
    /// A command on this machine.
    Local,
    /// An agent, on its own sessions.
    Agent(Arc<Agent>),
}

/// The key that an agent shows.
#[derive(Debug, PartialEq, Eq)]
pub struct Agent {
    /// Id of the key.
    pub id: String,
    /// Name of the key.
    pub name: String,
    pub scopes: Vec<Scope>,
    /// The most that it may post.
    pub quota: Usage,
}

impl Caller {
    /// The key's id, of an agent.
    pub fn key_id(&self) -> Option<&str> {
        match self {
            Self::Agent(agent) => Some(&agent.id),
            Self::Owner | Self::Local => None,
        }
    }

    /// The key whose sessions alone are there to be read; None where all are.
    pub fn reads_only(&self) -> Option<&str> {
        match self {
            Self::Agent(agent) if !agent.scopes.contains(&Scope::ReadAll) => Some(&agent.id),
            _ => None,
        }
    }

    /// People and their commands may do everything; an agent what its key says.
    pub fn require(&self, scope: Scope) -> Result<(), Problem> {
        match self {
            // `read_all` includes `read`.
            Self::Agent(agent) if scope == Scope::Read && agent.scopes.contains(&Scope::ReadAll) => Ok(()),
            Self::Agent(agent) if scope == Scope::Mirror && agent.scopes.contains(&Scope::Bridge) => Ok(()),
            Self::Agent(agent) if !agent.scopes.contains(&scope) => {
                let title = format!("This key lacks the scope `{}`", scope.as_str());
                Err(Problem::new(ProblemCode::ScopeMissing, title).hint(format!(
                    "Create a key with this scope: `verbatim key create --scope post,read,{}`",
                    scope.as_str()
                )))
            }
            _ => Ok(()),
        }
    }
}

/// A person in a channel, as the owner's list of people names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Id of the channel.
    pub id: String,
    pub name: String,
    /// Kind of the channel: `matrix`.
    pub via: String,
    /// Name of the channel.
    pub channel: String,
    /// SHA-256 of the channel's id of what they do, in hex: it has its effect once.
    pub event: String,
}

impl Person {
    /// Returns what they do, as it is kept with its effect.
    pub fn doing(&self, decides: bool) -> ChannelEvent {
        ChannelEvent { channel: self.id.clone(), event: self.event.clone(), decides }
    }
}

/// Which of our own programs a person uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// The page.
    Web,
    /// `verbatim tui`, or a command.
    Terminal,
}

impl Surface {
    /// The surface of a log-in with this label, which is the `User-Agent` that logged in.
    pub fn of_label(label: &str) -> Self {
        if label == TERMINAL { Self::Terminal } else { Self::Web }
    }

    /// The word by which decisions name it.
    pub fn via(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Terminal => "terminal",
        }
    }

    /// The sender of what a person writes there, unless they name another.
    pub fn sender(self) -> &'static str {
        match self {
            Self::Web => "user",
            Self::Terminal => "tui-user",
        }
    }

    /// The extra that says where a message came from; None for the page, where it is shown anyway.
    pub fn extra(self) -> Option<Value> {
        match self {
            Self::Web => None,
            Self::Terminal => Some(json!({ "name": "Terminal", "kind": self.via() })),
        }
    }
}
