//! The session that a call started: how it stands, what it did last.

use super::super::parts::Mark;
use crate::figures;
use crate::icon::{Glyph, Icon, Size};
use crate::shell::session_href;
use crate::transcript::Child;
use api::messages::Entry;
use leptos::prelude::*;
use model::{Body, Role, SessionState, message_type::tool_call::ToolState, text::one_line};

/// Where its transcript is read, at a message of it.
pub(super) fn address(child: &Child, seq: Option<i64>) -> String {
    let page = session_href(child.session.id.as_str());
    seq.map_or(page.clone(), |seq| format!("{page}?at={seq}#m{seq}"))
}

/// While it works, its state is the card's.
pub(super) fn mark(child: &Child) -> Option<Mark> {
    match child.session.state {
        SessionState::Working => Some(Mark::new("running", Glyph::WORK, "Working")),
        SessionState::NeedsYou => Some(Mark::new("needs", Glyph::NEEDS, "Needs you")),
        SessionState::Lost => Some(Mark::new("lost", Glyph::LOST, "Lost")),
        SessionState::Failed | SessionState::Done | SessionState::Idle => None,
    }
}

/// What it does now, in one line.
pub(super) fn news(child: &Child) -> Option<String> {
    mark(child)?;
    Some(line(child.steps.last()?))
}

/// From its first to its last word, in microseconds, once it has ended.
pub(super) fn took(child: &Child) -> Option<i64> {
    let took = child.session.last_activity_at.since(child.session.created_at);
    (mark(child).is_none() && took > 0).then_some(took)
}

/// Has it done what it was started for? Until it is asked again it does nothing more.
pub(super) fn is_done(child: &Child) -> bool {
    child.session.message_count > 0 && matches!(child.session.state, SessionState::Done | SessionState::Idle)
}

/// All that was processed, each step's context anew: as in the list of sub-agents.
pub(super) fn tokens(child: &Child) -> Option<String> {
    let processed = child.session.usage.total();
    (processed > 0).then(|| format!("{} tokens processed", figures::tokens(processed)))
}

/// Its last messages, each leading to its place.
pub(super) fn steps(child: &Child) -> Option<AnyView> {
    let steps: Vec<_> = child.steps.iter().map(|entry| step(child, entry)).collect();
    let earlier = child.session.message_count - child.steps.len() as i64;
    let earlier = (earlier > 0).then(|| {
        let words = format!("{} earlier", figures::counted(earlier, "message"));
        view! { <li><Icon glyph=Glyph::MORE size=Size::Small /><a href=address(child, Some(1))>{words}</a></li> }
    });
    (!steps.is_empty()).then(|| {
        view! {
            <ul class="steps body" role="list">
                {earlier}
                {steps}
            </ul>
        }
        .into_any()
    })
}

fn step(child: &Child, entry: &Entry) -> AnyView {
    let call = match entry.body() {
        Body::ToolCall(call) => Some(call),
        _ => None,
    };
    let failed = call.as_ref().is_some_and(|call| call.state() == ToolState::Failed);
    let glyph = match (&call, entry.message.draft.role, entry.message_type.as_str()) {
        (Some(_), ..) if failed => Glyph::FAIL,
        (Some(call), ..) => super::look::glyph(call.kind()),
        (None, Role::User, _) => Glyph::USER,
        (None, _, "CODE_EDIT") => Glyph::EDIT,
        (None, _, "TODO") => Glyph::LIST,
        (None, ..) => Glyph::COMMENT,
    };
    let to = address(child, Some(entry.message.seq));
    view! {
        <li data-state=failed.then_some("failed")>
            <Icon glyph size=Size::Small />
            <a class="cut" href=to>
                {line(entry)}
            </a>
        </li>
    }
    .into_any()
}

fn line(entry: &Entry) -> String {
    let said = if entry.summary.is_empty() { &entry.message.draft.content } else { &entry.summary };
    one_line(said, 140)
}
