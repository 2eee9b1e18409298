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
use crate::request_span::record_session;
use crate::writer::Failure;
use crate::{Scoped, clock, posting, problem, retention};
use api::Problem;
use api::keys::Scope;
use api::sessions::SessionPath;
use model::message_type::file::FileAction;
use model::{Body, Session, SessionId, Status, summary, text};
use store::{Objection, Refusal, StoredMessage};

/// So many characters of what somebody said stand in a problem's title.
const WORDS: usize = 200;

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

/// Why a write wasn't done, as a problem.
pub(crate) fn refusal(failure: Failure) -> Problem {
    let refusal = match failure {
        Failure::Problem(problem) => return problem,
        Failure::Refused(refusal) => refusal,
    };
    match refusal {
        Refusal::NoSession => Problem::not_found("session"),
        Refusal::Deleted { field: None } => deleted(),
        Refusal::Deleted { field } => Problem { status: 409, field: field.map(str::to_owned), ..deleted() },
        Refusal::Taken { field } => Problem {
            field: Some(field.to_owned()),
            ..Problem::new(409, "session_taken", "This name is taken: the session that has it is another one's")
                .hint("A session stays with the key that made it: go on with that key, or give another name")
        },
        Refusal::NoMessage => Problem::not_found("message"),
        Refusal::NoRun => Problem::not_found("run that was begun here"),
        Refusal::NotDue => Problem::new(409, "changed", "The schedule was changed meanwhile").hint("Look at it again"),
        Refusal::OpenRun { run, format, placement } => {
            let title = format!("A run is open that was begun with the format `{format}` and notices in `{placement}`");
            let hint = format!("Begin it again in that way, or end it first: its id is `{run}`");
            Problem::new(409, "run_open", title).hint(hint)
        }
        Refusal::Conflict => Problem {
            field: Some("/id".to_owned()),
            ..Problem::new(409, "id_conflict", "This id is in use for something else")
                .hint("Repeat a request unchanged, or give a new id")
        },
        Refusal::Revision(current) => current_one(
            Problem::new(412, "revision_changed", format!("The message is at revision {}", current.message.revision)),
            *current,
        ),
        Refusal::Rule(objection, current) => {
            let problem = objected(objection, current.as_deref());
            match current {
                Some(current) => current_one(problem, *current),
                None => problem,
            }
        }
        Refusal::TooLong { field, most } => posting::too_long(field, most),
        Refusal::At(index, refusal) => {
            let problem = self::refusal(Failure::Refused(*refusal));
            let field = format!("/messages/{index}{}", problem.field.as_deref().unwrap_or_default());
            Problem { field: Some(field), ..problem }
        }
    }
}

/// A session that its agent had, and that a person doesn't want any more.
fn deleted() -> Problem {
    let hint = format!("A person can restore it within {} days; or begin a new one, by another name", retention::DAYS);
    Problem::new(404, "session_deleted", "This session was deleted").hint(hint)
}

fn objected(objection: Objection, current: Option<&StoredMessage>) -> Problem {
    let (status, code, title) = match objection {
        Objection::Decided => return decided(current),
        Objection::Answered => {
            let title = current.map_or_else(String::new, |answer| {
                let draft = &answer.message.draft;
                let who = draft.sender_name.as_deref().unwrap_or(&draft.sender);
                format!(", by {who}: {}", summary::summary(draft))
            });
            return Problem::new(409, "answered", format!("It is answered already{title}"));
        }
        Objection::Changed => {
            let problem = Problem::new(412, "changed", "What it asks for has changed since it was shown");
            return problem.hint("Read it again, and decide then");
        }
        Objection::Status => (409, "status_conflict", "A message in this state can't come into that one"),
        Objection::NotYours => {
            (403, "not_yours", "Only the side that said it may change a message: agents theirs, people theirs")
        }
        Objection::NotYoursToDecide => {
            (403, "not_yours_to_decide", "An agent can't decide: it may ask, and take its question back")
        }
        Objection::OutOfSight => {
            (403, "cannot_ask", "Only a message with role `assistant` that people see can ask them something")
        }
        Objection::Stale => (409, "stale", "Another reader was here"),
        Objection::RunEnded => (409, "run_ended", "The run has ended already, with another outcome"),
    };
    Problem::new(status, code, title)
}

/// Who was first, and with what.
fn decided(current: Option<&StoredMessage>) -> Problem {
    let draft = current.map(|current| &current.message.draft);
    if draft.is_some_and(|draft| draft.status == Status::Retracted) {
        return Problem::new(409, "retracted", "It was taken back: nobody waits for a decision any more");
    }
    let how = match draft.map(Body::of) {
        Some(Body::Approval(approval)) => match &approval.decision {
            Some(decision) => {
                let by = match (&decision.reported_by, &decision.by) {
                    (Some(key), _) => format!(", as {key} reports"),
                    (None, Some(by)) => format!(", by {by}"),
                    (None, None) => String::new(),
                };
                let answer = Some(approval.answer()).filter(|answer| !answer.is_empty());
                let answer = answer.unwrap_or_else(|| decision.state.label());
                format!("{by}: {}", text::one_line(&answer, WORDS))
            }
            None => format!(": {}", approval.state.label()),
        },
        Some(Body::File(file)) => {
            let extras = draft.and_then(|draft| draft.metadata.as_ref());
            let chosen = (0..file.files.len()).filter_map(|number| file.chosen(extras, number));
            let names: Vec<&str> = chosen.map(FileAction::name).collect();
            format!(": {}", text::one_line(&names.join(", "), WORDS))
        }
        _ => String::new(),
    };
    Problem::new(409, "decided", format!("It is decided already{how}"))
}

/// A problem with the message as it is.
fn current_one(problem: Problem, current: StoredMessage) -> Problem {
    Problem { current: serde_json::to_value(messages::entry(current)).ok(), ..problem }
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
