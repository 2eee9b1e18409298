//! The caller of a request, independent of topics.

use api::account::TERMINAL;
use api::keys::Scope;
use api::people::PersonRole;
use api::{Problem, ProblemCode};
use serde_json::{Value, json};
use std::sync::Arc;
use store::people::OWNER;
use store::{ChannelEvent, Sight, Usage};

/// The authenticated caller. The outer layers derive it from a credential, which the inner ones never see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// A person who logged in.
    User(Arc<User>),
    /// A command on this machine.
    Local,
    /// An agent, on its own sessions.
    Agent(Arc<Agent>),
}

/// A person who may log in.
#[derive(Debug, PartialEq, Eq)]
pub struct User {
    pub id: String,
    /// None for the owner of the machine until they are given one.
    pub name: Option<String>,
    pub role: PersonRole,
    /// The sessions that they may see.
    pub sight: Sight,
}

impl User {
    /// Returns the owner of the machine.
    pub fn owner(name: Option<String>) -> Self {
        Self { id: OWNER.to_owned(), name, role: PersonRole::Owner, sight: Sight::All }
    }

    /// Returns true for the person's name, however it is written. The owner of the machine is also called `owner`.
    pub fn is_called(&self, name: &str) -> bool {
        let is_own = self.name.as_ref().is_some_and(|own| own.to_lowercase() == name.to_lowercase());
        is_own || (self.id == OWNER && name.eq_ignore_ascii_case(OWNER))
    }
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
    /// Id of the machine whose key it is.
    pub machine: Option<String>,
}

impl Caller {
    /// The key's id, of an agent.
    pub fn key_id(&self) -> Option<&str> {
        match self {
            Self::Agent(agent) => Some(&agent.id),
            Self::User(_) | Self::Local => None,
        }
    }

    /// Id of the machine whose key it is, of another machine.
    pub fn machine(&self) -> Option<&str> {
        if let Self::Agent(agent) = self { agent.machine.as_deref() } else { None }
    }

    /// The owner of the machine, without a log-in.
    pub fn owner() -> Self {
        Self::User(Arc::new(User::owner(None)))
    }

    /// The person who logged in.
    pub fn user(&self) -> Option<&User> {
        if let Self::User(user) = self { Some(user) } else { None }
    }

    /// Id of the person for whom it is done: commands of this machine are its owner's.
    pub fn person_id(&self) -> &str {
        self.user().map_or(OWNER, |user| &user.id)
    }

    /// Returns the sessions that are there to be read: an agent's own, unless its key reads all.
    pub fn sight(&self) -> Sight {
        match self {
            Self::Agent(agent) if agent.scopes.contains(&Scope::ReadAll) => Sight::All,
            _ => self.own_sight(),
        }
    }

    /// Returns the sessions that are there to be changed: an agent's own, whatever its key reads.
    pub fn own_sight(&self) -> Sight {
        match self {
            Self::Agent(agent) => Sight::OfKey(agent.id.as_str().into()),
            Self::User(user) => user.sight.clone(),
            Self::Local => Sight::All,
        }
    }

    /// An agent may do what its key says. What people may do, the table of endpoints says by their roles.
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
