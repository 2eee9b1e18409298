//! Sessions from the outside: made, changed, ended, deleted.

use crate::basics::hash::create_hash;
use crate::basics::{clock, problem};
use crate::caller::Caller;
use crate::context::Scoped;
use crate::context::quotas::usage;
use crate::context::request_span::record_session;
use crate::context::writer::{Failure, Written};
use crate::may::{find_session, seen, session_to_change};
use crate::requests::Requests;
use crate::writing::refusal::refusal;
use api::keys::Scope;
use api::lifecycle::{
    EditSession, EditSessions, EditedSessions, EndOutcome, EndSession, NewSession, SessionDeleted, SessionMade,
    SessionReply,
};
use api::sessions::SessionPath;
use api::{Problem, ProblemCode};
use model::audit::{Event, Note};
use model::closed::CloseReason;
use model::{SessionFacts, SessionId};
use store::{Ended, LiveDone, LiveEdit, LiveWrite, Refusal, Sight, SignOfLife, Usage};

const AGENT_CHARS: usize = 255;
const TEXT_CHARS: usize = 2000;
/// Sessions that one request changes.
const MANY: usize = 500;

pub async fn create_session(scoped: &Scoped, input: NewSession) -> Result<SessionMade, Problem> {
    scoped.caller.require(Scope::Post)?;
    let create_hash = create_hash(&input)?;
    let agent = input.agent.trim();
    if agent.is_empty() || agent.chars().count() > AGENT_CHARS {
        return Err(Problem::field("/agent", &format!("the name of the agent, 1 to {AGENT_CHARS} characters")));
    }
    let id = input.id.unwrap_or_else(|| uuid::Uuid::now_v7().to_string());
    let new_id =
        |field: &str, id: String| SessionId::parse_new(id).map_err(|error| Problem::field(field, &error.to_string()));
    let id = new_id("/id", id)?;
    let key = match input.agent_session_id {
        Some(key) => new_id("/agent_session_id", key)?,
        None => id.clone(),
    };
    let parent_key = match input.parent {
        Some(parent) => {
            let parent = find_session(scoped, &SessionPath { session: parent }, &scoped.caller.own_sight()).await;
            let parent = parent.map_err(|problem| Problem { field: Some("/parent".to_owned()), ..problem })?;
            if parent.agent != agent {
                return Err(Problem::field("/parent", "a session of the same agent"));
            }
            parent.agent_session_id
        }
        None => None,
    };
    let cwd = text("/cwd", input.cwd)?;
    let new = store::NewSession {
        id,
        agent: agent.to_owned(),
        key: key.into(),
        parent_key,
        facts: SessionFacts {
            title: text("/title", input.title)?,
            project: text("/project", input.project)?.or_else(|| cwd.clone()),
            cwd,
            branch: text("/branch", input.branch)?,
            model: text("/model", input.model)?,
            version: text("/version", input.version)?,
            call_id: text("/call_id", input.call_id)?,
            ..SessionFacts::default()
        },
        key_id: scoped.caller.key_id().map(str::to_owned),
        create_hash: Some(create_hash),
        origin: store::Origin::Posts,
        machine: None,
    };
    let wanted = usage(1, 0);
    let written = scoped.hub.writer.write(LiveWrite::Create(Box::new(new)));
    let used = |written: &Written| match written {
        Ok((LiveDone::Session { created: true, .. }, _)) => wanted,
        _ => Usage::default(),
    };
    let (done, _) = scoped.hub.quotas.pay(&scoped.caller, wanted, written, used).await?.map_err(refusal)?;
    let LiveDone::Session { id, created } = done else { return Err(Problem::internal()) };
    record_session(&id);
    let session = scoped.hub.workspace.session(&id, clock::now()).await.map_err(problem)?;
    let session = session.ok_or_else(|| Problem::not_found("session"))?;
    Ok(SessionMade { session, replayed: !created })
}

fn text(field: &str, given: Option<String>) -> Result<Option<String>, Problem> {
    match given {
        Some(text) if text.chars().count() > TEXT_CHARS => {
            Err(Problem::field(field, &format!("at most {TEXT_CHARS} characters")))
        }
        given => Ok(given.filter(|text| !text.trim().is_empty())),
    }
}

pub async fn edit_session(scoped: &Scoped, path: &SessionPath, input: EditSession) -> Result<SessionReply, Problem> {
    let session = session_to_change(scoped, path).await?;
    let by_agent = matches!(scoped.caller, Caller::Agent(_));
    if by_agent && (input.archived.is_some() || input.pinned.is_some()) {
        let field = if input.archived.is_some() { "/archived" } else { "/pinned" };
        let problem = Problem::field(field, "absent: only people can archive and pin sessions");
        return Err(problem.coded(ProblemCode::PeopleOnly));
    }
    let mut edit = LiveEdit::new(session.id);
    edit.facts = SessionFacts {
        project: text("/project", input.project)?,
        cwd: text("/cwd", input.cwd)?,
        branch: text("/branch", input.branch)?,
        model: text("/model", input.model)?,
        version: text("/version", input.version)?,
        ..SessionFacts::default()
    };
    if let Some(title) = input.title {
        let title = text("/title", Some(title))?;
        if by_agent {
            edit.facts.title = title;
        } else {
            edit.own_title = Some(title);
        }
    }
    edit.archived_at = input.archived.map(|archived| archived.then(clock::now));
    edit.pinned_at = input.pinned.map(|pinned| pinned.then(clock::now));
    write(scoped, edit).await
}

/// The writes queue together and share a commit or a few.
pub async fn edit_sessions(scoped: &Scoped, input: EditSessions) -> Result<EditedSessions, Problem> {
    if !(1..=MANY).contains(&input.sessions.len()) {
        return Err(Problem::field("/sessions", &format!("1 to {MANY} ids of sessions")));
    }
    if input.archived.is_none() && input.pinned.is_none() && input.deleted.is_none() {
        return Err(Problem::field("/archived", "true or false; or give `pinned` or `deleted`"));
    }
    let mut writes = Vec::with_capacity(input.sessions.len());
    let by = scoped.note(Event::Unknown).await;
    for (index, id) in input.sessions.into_iter().enumerate() {
        let id =
            SessionId::parse(id).map_err(|error| Problem::field(&format!("/sessions/{index}"), &error.to_string()))?;
        if !may_restore(scoped, &id).await? {
            continue;
        }
        let mut edit = LiveEdit::new(id.clone());
        edit.archived_at = input.archived.map(|archived| archived.then(clock::now));
        edit.pinned_at = input.pinned.map(|pinned| pinned.then(clock::now));
        edit.deleted_at = input.deleted.map(|deleted| deleted.then(clock::now));
        edit.note = input.deleted.map(|deleted| Note { what: deletion(&id, deleted), ..by.clone() });
        writes.push(async { (id, scoped.hub.writer.write(LiveWrite::Edit(Box::new(edit))).await) });
    }
    let mut sessions = Vec::new();
    for (id, written) in futures::future::join_all(writes).await {
        match written {
            Ok(_) => sessions.push(id.to_string()),
            Err(Failure::Refused(Refusal::NoSession | Refusal::Deleted { .. })) => {}
            Err(failure) => return Err(refusal(failure)),
        }
    }
    Ok(EditedSessions { sessions })
}

/// Returns the audit log's entry of a deletion or restoration.
fn deletion(session: &SessionId, deleted: bool) -> Event {
    let session = session.to_string();
    if deleted { Event::SessionDeleted { session } } else { Event::SessionRestored { session } }
}

/// Sub-agents' sessions go with it.
pub async fn delete_session(scoped: &Scoped, path: &SessionPath) -> Result<SessionDeleted, Problem> {
    let session = session_to_change(scoped, path).await?;
    let mut edit = LiveEdit::new(session.id);
    edit.deleted_at = Some(Some(clock::now()));
    edit.note = Some(scoped.note(deletion(&edit.session, true)).await);
    write(scoped, edit).await.map(|reply| SessionDeleted { id: reply.session.id.to_string() })
}

/// Returns whether the caller sees a session, or saw it before it was deleted.
async fn may_restore(scoped: &Scoped, id: &SessionId) -> Result<bool, Problem> {
    let sight = scoped.caller.own_sight();
    if sight == Sight::All || seen(&scoped.hub, &sight, id).await?.is_some() {
        return Ok(true);
    }
    scoped.hub.workspace.has_deleted(id.as_str(), &sight).await.map_err(problem)
}

pub async fn restore_session(scoped: &Scoped, path: &SessionPath) -> Result<SessionReply, Problem> {
    let found = scoped.hub.workspace.sessions_to_restore(&path.session).await.map_err(problem)?;
    let id = match found.as_slice() {
        [] => return Err(Problem::not_found("session")),
        [id] => id.clone(),
        _ => {
            let title = format!("Several agents have a session `{}`", path.session);
            return Err(Problem::new(ProblemCode::Ambiguous, title).hint("Use our id of the session"));
        }
    };
    if !may_restore(scoped, &id).await? {
        return Err(Problem::not_found("session"));
    }
    let mut edit = LiveEdit::new(id);
    edit.deleted_at = Some(None);
    edit.note = Some(scoped.note(deletion(&edit.session, false)).await);
    write(scoped, edit).await
}

pub async fn end_session(scoped: &Scoped, path: &SessionPath, input: EndSession) -> Result<SessionReply, Problem> {
    let mut edit = LiveEdit::new(session_to_change(scoped, path).await?.id);
    // First: who ends it again, since it wasn't answered, closes what is left.
    Requests::of(&scoped.hub).withdraw(&edit.session, CloseReason::AgentEnded).await?;
    edit.ended = Some(match input.outcome {
        EndOutcome::Done => Ended::Done,
        EndOutcome::Failed => Ended::Failed,
    });
    write(scoped, edit).await
}

pub async fn heartbeat(scoped: &Scoped, path: &SessionPath) -> Result<SessionReply, Problem> {
    let mut edit = LiveEdit::new(session_to_change(scoped, path).await?.id);
    edit.sign = Some(SignOfLife::Heartbeat);
    write(scoped, edit).await
}

async fn write(scoped: &Scoped, edit: LiveEdit) -> Result<SessionReply, Problem> {
    let id = edit.session.clone();
    scoped.hub.writer.write(LiveWrite::Edit(Box::new(edit))).await.map_err(refusal)?;
    let session = scoped.hub.workspace.session(&id, clock::now()).await.map_err(problem)?;
    Ok(SessionReply { session: session.ok_or_else(|| Problem::not_found("session"))? })
}
