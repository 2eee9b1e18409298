//! Permissions of a caller: the sessions that it can find, and the messages that it can read.
//!
//! Replies to an agent's key may go to a model, and so may replies to a client of the tools, whatever its credential.
//! For such a reader, messages of the host and notices of one run are present, but without their content. It can't find
//! them by search, nor retracted messages. `model::policy` decides.

use crate::basics::{clock, problem};
use crate::caller::Caller;
use crate::context::caller_cache::Owner;
use crate::context::request_span::record_session;
use crate::context::{Hub, Scoped};
use crate::upkeep::trash;
use api::keys::Scope;
use api::messages::Entry;
use api::people::PersonRole;
use api::sessions::SessionPath;
use api::{Access, Problem, ProblemCode};
use model::policy::{model_may_find, model_may_read};
use model::{Draft, MessageId, Role, Session, SessionId, SourceId};
use store::{Sight, StoredMessage};

impl Scoped {
    /// Returns true if this caller may export every byte as it was.
    pub fn may_export_originals(&self) -> bool {
        self.redactor.is_some()
            || self.hub.settings.viewers_export
            || self.caller.user().is_none_or(|user| user.role != PersonRole::Viewer)
    }

    /// Checks that this caller may use an endpoint with this access.
    ///
    /// # Errors
    ///
    /// 403 if not.
    pub(crate) fn may_use(&self, access: &[Access]) -> Result<(), Problem> {
        let enough: &[Access] = match &self.caller {
            Caller::User(user) => match user.role {
                PersonRole::Viewer => &[Access::Viewer],
                PersonRole::Member => &[Access::Viewer, Access::Member],
                PersonRole::Owner => &[Access::Viewer, Access::Member, Access::Owner],
            },
            Caller::Local => &[Access::Local],
            Caller::Agent(_) => &[Access::Agent],
        };
        // An endpoint that agents can't use isn't for a model with another credential either.
        let is_for_people = self.is_for_model() && !access.contains(&Access::Agent);
        if access.iter().any(|access| enough.contains(access)) && !is_for_people {
            return Ok(());
        }
        let may: Vec<&str> = access
            .iter()
            .map(|access| match access {
                Access::Viewer => "a person who logged in",
                Access::Member => "a person with the role member or owner",
                Access::Owner => "a person with the role owner",
                Access::Local => "this machine's own commands",
                Access::Agent => "an agent's key",
            })
            .collect();
        let hint = format!("It is only for {}", may.join(" and "));
        if let Some(user) = self.caller.user()
            && !is_for_people
        {
            let title = format!("Your role, {}, doesn't allow this", user.role);
            return Err(Problem::new(ProblemCode::Forbidden, title).hint(hint));
        }
        Err(Problem::new(ProblemCode::Forbidden, "This kind of credential can't use the endpoint").hint(hint))
    }

    /// Makes a caller whose reads go to a model, whoever it is.
    #[must_use]
    pub fn for_model(self) -> Self {
        Self { is_for_model: true, ..self }
    }

    /// Returns whether what is read here may go to a model.
    pub fn is_for_model(&self) -> bool {
        self.is_for_model || matches!(self.caller, Caller::Agent(_))
    }

    /// Returns whether this caller may read what a message says, in its place.
    pub fn may_read(&self, draft: &Draft) -> bool {
        !self.is_for_model() || model_may_read(draft)
    }

    /// Returns whether this caller finds a message by what it says.
    pub(crate) fn may_find(&self, draft: &Draft) -> bool {
        !self.is_for_model() || model_may_find(draft)
    }

    /// Refuses a file from which messages of the host were read.
    ///
    /// # Errors
    ///
    /// 403 if there is one of them.
    pub async fn require_no_host_records(&self, session: &SessionId, source: &SourceId) -> Result<(), Problem> {
        if !self.hub.workspace.has_host_records(session, source).await.map_err(problem)? {
            return Ok(());
        }
        let problem =
            Problem::new(ProblemCode::ForPeople, "This file contains messages of the host, which models can't read");
        Err(problem.hint("`format=json` exports the session without their content; a person can export the file"))
    }

    /// Roles whose messages this caller doesn't find when it looks for words.
    pub(crate) fn roles_not_found(&self) -> Vec<Role> {
        if self.is_for_model() { vec![Role::Host] } else { Vec::new() }
    }

    /// A message as this caller reads it: in its place, and without what it says where that isn't for it.
    pub(crate) fn readable(&self, entry: Entry) -> Entry {
        if self.may_read(&entry.message.draft) { entry } else { entry.without_content() }
    }
}

/// The session that a path names: by our id, the agent's own id, or a prefix of either that is unique, at least among
/// sessions of no sub-agent. Our id wins: an agent gives its own ids as it likes.
///
/// An agent finds its own alone, unless its key reads all: the others aren't there. To read what it finds it needs the
/// scope for that, whatever the endpoint.
pub(crate) async fn session(scoped: &Scoped, path: &SessionPath) -> Result<Session, Problem> {
    scoped.caller.require(Scope::Read)?;
    named(scoped, path, &scoped.caller.sight()).await
}

/// Like [`session`], to take what waits in it: an agent finds its own alone, whatever its key reads.
pub(crate) async fn own_session(scoped: &Scoped, path: &SessionPath) -> Result<Session, Problem> {
    scoped.caller.require(Scope::Read)?;
    named(scoped, path, &scoped.caller.own_sight()).await
}

/// Like [`own_session`], to change it, for which an agent needs the scope to post. Answers to what it writes tell it
/// what it wrote, and what people wrote to it since.
pub(crate) async fn session_to_change(scoped: &Scoped, path: &SessionPath) -> Result<Session, Problem> {
    scoped.caller.require(Scope::Post)?;
    named(scoped, path, &scoped.caller.own_sight()).await
}

/// The session with our id, unless it was deleted or may not be seen.
pub(crate) async fn seen(hub: &Hub, sight: &Sight, id: &SessionId) -> Result<Option<Session>, Problem> {
    let found = hub.workspace.find_sessions(id.as_str(), sight, 1, clock::now()).await.map_err(problem)?;
    Ok(found.into_iter().next().filter(|session| session.id == *id))
}

async fn named(scoped: &Scoped, path: &SessionPath, sight: &Sight) -> Result<Session, Problem> {
    find_session(scoped, path, sight).await.inspect(|session| record_session(&session.id))
}

pub(crate) async fn find_session(scoped: &Scoped, path: &SessionPath, sight: &Sight) -> Result<Session, Problem> {
    // Every id begins with an empty prefix. No id holds a null character, and PostgreSQL can't be asked for one.
    if path.session.is_empty() || path.session.contains('\0') {
        return Err(Problem::not_found("session"));
    }
    let found = scoped.hub.workspace.find_sessions(&path.session, sight, 3, clock::now()).await.map_err(problem)?;
    if let Some(session) = found.iter().find(|s| s.id.as_str() == path.session) {
        return Ok(session.clone());
    }
    let mut own = found.iter().filter(|s| s.agent_session_id.as_deref() == Some(&path.session));
    match (own.next(), own.next()) {
        (Some(session), None) => return Ok(session.clone()),
        (Some(_), Some(_)) => {
            let title = format!("Several agents have a session `{}`", path.session);
            return Err(Problem::new(ProblemCode::Ambiguous, title).hint("Use our id of the session"));
        }
        _ => {}
    }
    match found.as_slice() {
        [] => Err(gone(scoped, &path.session).await?),
        [session] => Ok(session.clone()),
        // The own ids of sub-agents begin with their parent's.
        [session, other, ..] if session.parent.is_none() && other.parent.is_some() => Ok(session.clone()),
        _ => Err(Problem::new(ProblemCode::Ambiguous, format!("Several sessions begin with `{}`", path.session))
            .hint("Use more characters of the id")),
    }
}

/// Returns the problem of a name by which nothing is found. It tells of a deleted session to those who could see it.
pub(crate) async fn gone(scoped: &Scoped, name: &str) -> Result<Problem, Problem> {
    let was = scoped.hub.workspace.has_deleted(name, &scoped.caller.own_sight()).await.map_err(problem)?;
    Ok(if was { deleted() } else { Problem::not_found("session") })
}

/// A session that its agent had, and that a person doesn't want any more.
pub(crate) fn deleted() -> Problem {
    let hint = format!("A person can restore it within {} days; or create a new one with another name", trash::DAYS);
    Problem::new(ProblemCode::SessionDeleted, "This session was deleted").hint(hint)
}

/// Finds the id of a session to write to. Of one that was named by our id before, nothing is read: whose it is never
/// changes, and whether it is still there the writer sees.
pub(crate) async fn session_id(scoped: &Scoped, path: &SessionPath) -> Result<SessionId, Problem> {
    scoped.caller.require(Scope::Post)?;
    let (known, sight) = (&scoped.hub.caller_cache, scoped.caller.own_sight());
    let is_seen = |owner: &Owner| match &sight {
        Sight::All => true,
        Sight::OfKey(key) => owner.key_id.as_deref() == Some(key),
        // Its project may change.
        Sight::Without(_) => false,
    };
    if let Some(owner) = known.owner(&path.session).filter(is_seen) {
        record_session(&owner.session);
        return Ok(owner.session);
    }
    let session = named(scoped, path, &sight).await?;
    known.remember_owner(Owner { session: session.id.clone(), key_id: session.key_id });
    Ok(session.id)
}

/// The id of the message that a path names: by itself, else by its `seq`. Agents give ids as they like, so that a
/// number may be one.
pub(crate) async fn message_id(scoped: &Scoped, session: &SessionId, name: &str) -> Result<MessageId, Problem> {
    let nobody = || Problem::not_found("message");
    let id = MessageId::parse(name.to_owned()).map_err(|_| nobody())?;
    // An id needs no look-up here. The later read or write fails if it doesn't exist.
    let Ok(seq) = name.parse::<i64>() else { return Ok(id) };
    let workspace = &scoped.hub.workspace;
    if workspace.message(session, &id).await.map_err(problem)?.is_some() {
        return Ok(id);
    }
    let found = workspace.message_at(session, seq).await.map_err(problem)?.ok_or_else(nobody)?;
    Ok(found.message.draft.id)
}

/// The message that a path names, see [`message_id`].
pub(crate) async fn message(scoped: &Scoped, session: &SessionId, name: &str) -> Result<StoredMessage, Problem> {
    let id = message_id(scoped, session, name).await?;
    let stored = scoped.hub.workspace.message(session, &id).await.map_err(problem)?;
    stored.ok_or_else(|| Problem::not_found("message"))
}
