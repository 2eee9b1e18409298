//! The bodies of [`crate::Scoped`]'s methods, one file per topic.

pub mod account;
mod archive;
pub mod asks;
pub mod audit;
pub mod blobs;
mod buttons;
pub mod changes;
pub mod channels;
pub mod context;
mod control;
pub mod decisions;
pub mod driving;
pub mod events;
mod file_actions;
pub mod host;
pub mod imports;
pub mod lifecycle;
pub mod memory;
pub mod messages;
pub mod net;
pub mod outline;
mod pages;
pub mod pending;
pub mod posts;
pub mod preferences;
pub mod projects;
pub mod reading;
pub mod records;
pub mod redaction;
mod review_actions;
pub mod routing;
pub mod runs;
pub mod schedules;
pub mod search;
pub mod sessions;
pub mod spending;
pub mod stats;
pub mod todos;
pub mod type_settings;
pub mod types;
pub mod updates;
pub mod waterfall;

use crate::caller_cache::Owner;
use crate::refusal::deleted;
use crate::request_span::record_session;
use crate::{Scoped, clock, problem};
use api::Problem;
use api::keys::Scope;
use api::sessions::SessionPath;
use model::{Session, SessionId};

/// The session that a path names: by our id, the agent's own id, or a prefix of either that is unique, at least among
/// sessions of no sub-agent. Our id wins: an agent gives its own ids as it likes.
///
/// An agent finds its own alone, unless its key reads all: the others aren't there. To read what it finds it needs the scope
/// for that, whatever the endpoint.
async fn session(scoped: &Scoped, path: &SessionPath) -> Result<Session, Problem> {
    scoped.caller.require(Scope::Read)?;
    named(scoped, path, scoped.caller.reads_only()).await
}

/// Like [`session`], to take what waits in it: an agent finds its own alone, whatever its key reads.
async fn own_session(scoped: &Scoped, path: &SessionPath) -> Result<Session, Problem> {
    scoped.caller.require(Scope::Read)?;
    named(scoped, path, scoped.caller.key_id()).await
}

/// Like [`own_session`], to change it, for which an agent needs the scope to post. Answers to what it writes tell it
/// what it wrote, and what people wrote to it since.
async fn session_to_change(scoped: &Scoped, path: &SessionPath) -> Result<Session, Problem> {
    scoped.caller.require(Scope::Post)?;
    named(scoped, path, scoped.caller.key_id()).await
}

async fn named(scoped: &Scoped, path: &SessionPath, key_id: Option<&str>) -> Result<Session, Problem> {
    find_session(scoped, path, key_id).await.inspect(|session| record_session(&session.id))
}

async fn find_session(scoped: &Scoped, path: &SessionPath, key_id: Option<&str>) -> Result<Session, Problem> {
    // Every id begins with an empty prefix. No id holds a null character, and PostgreSQL can't be asked for one.
    if path.session.is_empty() || path.session.contains('\0') {
        return Err(Problem::not_found("session"));
    }
    let found = scoped.hub.workspace.find_sessions(&path.session, key_id, 3, clock::now()).await.map_err(problem)?;
    if let Some(session) = found.iter().find(|s| s.id.as_str() == path.session) {
        return Ok(session.clone());
    }
    let mut own = found.iter().filter(|s| s.agent_session_id.as_deref() == Some(&path.session));
    match (own.next(), own.next()) {
        (Some(session), None) => return Ok(session.clone()),
        (Some(_), Some(_)) => {
            let title = format!("Several agents have a session `{}`", path.session);
            return Err(Problem::new(409, "ambiguous", title).hint("Give our id of the session"));
        }
        _ => {}
    }
    match found.as_slice() {
        [] => Err(gone(scoped, &path.session).await?),
        [session] => Ok(session.clone()),
        // The own ids of sub-agents begin with their parent's.
        [session, other, ..] if session.parent.is_none() && other.parent.is_some() => Ok(session.clone()),
        _ => Err(Problem::new(409, "ambiguous", format!("Several sessions begin with `{}`", path.session))
            .hint("Give more characters of the id")),
    }
}

/// Why nothing is found by a name. An agent is told of what was its own, a person of every session that can be restored.
async fn gone(scoped: &Scoped, name: &str) -> Result<Problem, Problem> {
    let was = scoped.hub.workspace.has_deleted(name, scoped.caller.key_id()).await.map_err(problem)?;
    Ok(if was { deleted() } else { Problem::not_found("session") })
}

/// Finds the id of a session to write to. Of one that was named by our id before, nothing is read: whose it is never changes,
/// and whether it is still there the writer sees.
async fn session_id(scoped: &Scoped, path: &SessionPath) -> Result<SessionId, Problem> {
    scoped.caller.require(Scope::Post)?;
    let (known, key_id) = (&scoped.hub.caller_cache, scoped.caller.key_id());
    if let Some(owner) = known.owner(&path.session)
        && key_id.is_none_or(|id| owner.key_id.as_deref() == Some(id))
    {
        record_session(&owner.session);
        return Ok(owner.session);
    }
    let session = named(scoped, path, key_id).await?;
    known.remember_owner(Owner { session: session.id.clone(), key_id: session.key_id });
    Ok(session.id)
}

/// A filter that says something: forms send their empty fields too.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|t| !t.trim().is_empty())
}

/// The values of a repeated filter that say something.
fn any_of(values: Vec<String>) -> Vec<String> {
    values.into_iter().filter(|value| !value.is_empty()).collect()
}

/// A page size within its bounds.
fn limit(given: Option<u32>, default: u32, max: u32) -> Result<u32, Problem> {
    match given {
        None => Ok(default),
        Some(n) if (1..=max).contains(&n) => Ok(n),
        Some(_) => Err(Problem::field("limit", &format!("a number from 1 to {max}"))),
    }
}
