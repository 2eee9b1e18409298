//! The bodies of [`crate::Scoped`]'s methods, one file per topic.

pub mod account;
pub mod changes;
pub mod imports;
pub mod messages;
pub mod projects;
pub mod search;
pub mod sessions;
pub mod todos;

use crate::{Hub, clock, problem};
use api::Problem;
use api::sessions::SessionPath;
use model::Session;

/// The session that a path names: by our id, the agent's own id, or a prefix of either that is unique, at least among
/// sessions of no sub-agent.
async fn session(hub: &Hub, path: &SessionPath) -> Result<Session, Problem> {
    let found = hub.workspace.find_sessions(&path.session, 3, clock::now()).await.map_err(problem)?;
    let exact = |s: &&Session| s.id.as_str() == path.session || s.agent_session_id.as_deref() == Some(&path.session);
    if let Some(session) = found.iter().find(exact) {
        return Ok(session.clone());
    }
    match found.as_slice() {
        [] => Err(Problem::not_found("session")),
        [session] => Ok(session.clone()),
        // The own ids of sub-agents begin with their parent's.
        [session, other, ..] if session.parent.is_none() && other.parent.is_some() => Ok(session.clone()),
        _ => Err(Problem::new(409, "ambiguous", format!("Several sessions begin with `{}`", path.session))
            .hint("Give more characters of the id")),
    }
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
