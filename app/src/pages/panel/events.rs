//! Events of a session, newest first. Earlier pages are fetched when they are opened.

use super::nothing;
use crate::clock::{Clock, exact_moment};
use crate::figures;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shared::{fragments_href, message_href};
use crate::shell::small_icon;
use crate::visible;
use api::inspector::{SessionEvent, SessionEventKind, SessionEvents};
use leptos::prelude::*;
use model::Session;

/// Events of a page with earlier ones. The newest page has up to twice as many.
pub const EVENTS: u32 = 100;

/// Cuts the newest page so that the one before it begins with the same event until [`EVENTS`] more have come: what the
/// reader has opened is kept by its address. `page` has up to twice as many.
pub fn aligned(mut page: SessionEvents) -> SessionEvents {
    let most = i64::from(EVENTS);
    let shown = usize::try_from(most + page.total.max(0) % most).unwrap_or_default();
    let earlier = page.events.len().saturating_sub(shown);
    if earlier > 0 {
        page.events.drain(..earlier);
        page.before = page.events.first().map(|event| event.seq);
    }
    page
}

pub fn events(session: &Session, page: &SessionEvents, clock: &Clock) -> Part {
    if page.events.is_empty() {
        return nothing(
            "No events. Prompts, interruptions, approvals, errors, compactions, hooks and notices are listed here.",
        );
    }
    let ended = session.ended_at.map(|at| mark(clock, at, "Session ended"));
    part! {
        <p class="panel-line"><span class="num">{figures::counted(page.total, "event")}</span><span class="sp"></span><span class="cap">"newest first"</span></p>
        <ol class="events" role="list">{ended}{rows(session, page, clock)}</ol>
        {earlier(session, page, Some("earlier-events"))}
    }
}

/// A page of earlier ones.
pub fn more(session: &Session, page: &SessionEvents, clock: &Clock) -> Part {
    part! { <ol class="events" role="list">{rows(session, page, clock)}</ol>{earlier(session, page, None)} }
}

fn rows(session: &Session, page: &SessionEvents, clock: &Clock) -> Part {
    let rows: Vec<Part> = page.events.iter().rev().map(|event| row(session, event, clock)).collect();
    let began =
        (page.before.is_none() && session.created_at.0 > 0).then(|| mark(clock, session.created_at, "Session began"));
    part! { {rows}{began} }
}

/// A group with an id stays open when it begins with another event.
fn earlier(session: &Session, page: &SessionEvents, id: Option<&'static str>) -> Option<Part> {
    let before = page.before?;
    let load = format!("{}/panel?tab=events&before={before}", fragments_href(session.id.as_str()));
    Some(
        part! { <details class="earlier" id=id data-load=load><summary>"Earlier events"</summary><div></div></details> },
    )
}

fn mark(clock: &Clock, at: model::Micros, words: &'static str) -> Part {
    part! { <li><p>{small_icon(Glyph::HALF)}<b>{words}</b><span class="sp"></span>{exact_moment(clock, at, "cap num")}</p></li> }
}

fn row(session: &Session, event: &SessionEvent, clock: &Clock) -> Part {
    let (glyph, name) = look(event.kind);
    let to = message_href(session.id.as_str(), event.seq);
    let state = event.state.as_deref().map(|state| part! { <span class="chip">{state.replace('_', " ")}</span> });
    let words = if event.summary.is_empty() { format!("Message {}", event.seq) } else { visible::line(&event.summary) };
    part! {
        <li data-event=kind_word(event.kind)><p>{small_icon(glyph)}<b title=visible::line(&event.sender)>{name}</b>{state}<span class="sp"></span>{exact_moment(clock, event.at, "cap num")}</p>
            <a href=to data-seq=event.seq.to_string() dir="auto">{words}</a></li>
    }
}

/// As the style knows it: what went wrong stands out.
fn kind_word(kind: SessionEventKind) -> &'static str {
    match kind {
        SessionEventKind::Error | SessionEventKind::Interruption => "failed",
        SessionEventKind::Retry => "warm",
        SessionEventKind::Prompt | SessionEventKind::Answer => "person",
        _ => "plain",
    }
}

fn look(kind: SessionEventKind) -> (Glyph, &'static str) {
    match kind {
        SessionEventKind::Prompt => (Glyph::COMMENT, "Prompt"),
        SessionEventKind::Interruption => (Glyph::STOP, "Interrupted"),
        SessionEventKind::Approval => (Glyph::NEEDS, "Approval"),
        SessionEventKind::Answer => (Glyph::CHECK, "Answer"),
        SessionEventKind::Retry => (Glyph::FAIL, "Failed request"),
        SessionEventKind::Error => (Glyph::FAIL, "Error"),
        SessionEventKind::Compaction => (Glyph::LAYERS, "Compaction"),
        SessionEventKind::Hook => (Glyph::BRACES, "Hook"),
        SessionEventKind::TurnEnd => (Glyph::CHECK, "Turn ended"),
        SessionEventKind::Host => (Glyph::TERM, "Host"),
        SessionEventKind::Notice => (Glyph::EYE, "Notice"),
    }
}
