//! The events of a session: what happened beside what its agent said and called.

use crate::basics::problem;
use crate::basics::query::limit;
use crate::context::Scoped;
use crate::may::session;
use crate::writing::entries::entry;
use api::Problem;
use api::inspector::{SessionEvent, SessionEventKind, SessionEvents, SessionEventsQuery};
use api::messages::Entry;
use api::sessions::SessionPath;
use model::message_type::error;
use model::policy::{Look, facts_of, policy};
use model::text::one_line;
use model::{Body, Part, Role};
use store::{Among, MessageQuery, Range};

/// Events that a page has where nobody says how many, and at most.
const USUAL: u32 = 100;
const MOST: u32 = 200;
/// Characters of a line.
const WORDS: usize = 300;

pub async fn list_session_events(
    scoped: &Scoped,
    path: &SessionPath,
    input: SessionEventsQuery,
) -> Result<SessionEvents, Problem> {
    let session = session(scoped, path).await?;
    let many = limit(input.limit, USUAL, MOST)?;
    // One more: whether there are earlier ones.
    let asked = many + 1;
    let range = input.before.map_or(Range::Last(asked), |before| Range::Before(before, asked));
    let query = MessageQuery { among: Among::Events, limit: asked, ..MessageQuery::new(range) };
    let workspace = &scoped.hub.workspace;
    let mut stretch = workspace.stretch(&session.id, &query).await.map_err(problem)?;
    let has_earlier = stretch.messages.len() > many as usize;
    if has_earlier {
        stretch.messages.remove(0);
    }
    let counts = workspace.counts(&session.id).await.map_err(problem)?;
    let of_events =
        counts.iter().filter(|of| of.display.is_some() && of.part != Part::Replaced && Among::Events.holds(of));
    let total = of_events.map(|count| count.count).sum::<u64>();
    let entries = stretch.messages.into_iter().map(|stored| scoped.readable(entry(stored)));
    let events: Vec<SessionEvent> = entries.map(|entry| event(&entry)).collect();
    let before = events.first().filter(|_| has_earlier).map(|first| first.seq);
    Ok(SessionEvents { events, before, total: i64::try_from(total).unwrap_or(i64::MAX) })
}

fn event(entry: &Entry) -> SessionEvent {
    let state = match entry.body() {
        Body::Approval(approval) => Some(approval.state.as_str().to_owned()),
        _ => None,
    };
    let draft = &entry.message.draft;
    SessionEvent {
        kind: kind(entry),
        id: draft.id.clone(),
        seq: entry.message.seq,
        at: draft.created_at,
        sender: draft.sender.clone(),
        summary: one_line(&entry.summary, WORDS),
        state,
    }
}

fn kind(entry: &Entry) -> SessionEventKind {
    let draft = &entry.message.draft;
    let has_fact =
        |names: &[&str]| draft.facts().is_some_and(|facts| names.iter().any(|name| facts.contains_key(*name)));
    match entry.body() {
        Body::Approval(_) => SessionEventKind::Approval,
        Body::Error(_) if error::is_attempt(draft) => SessionEventKind::Retry,
        Body::Error(_) => SessionEventKind::Error,
        _ if draft.is_interruption() => SessionEventKind::Interruption,
        Body::Action(_) => SessionEventKind::Answer,
        Body::Todo(_) if draft.role == Role::User => SessionEventKind::Answer,
        _ if COMPACTIONS.contains(&draft.sender.as_str()) => SessionEventKind::Compaction,
        _ if has_fact(&["hook", "hooks"]) || draft.sender.starts_with("hook_") => SessionEventKind::Hook,
        _ if policy(&facts_of(draft)).look == Look::Footer => SessionEventKind::TurnEnd,
        _ if draft.role == Role::User && draft.part == Part::Whole => SessionEventKind::Prompt,
        _ if draft.role == Role::Host => SessionEventKind::Host,
        _ => SessionEventKind::Notice,
    }
}

/// Senders of the messages that readers make of a compaction.
const COMPACTIONS: [&str; 3] = ["compact_boundary", "compact_summary", "microcompact_boundary"];
