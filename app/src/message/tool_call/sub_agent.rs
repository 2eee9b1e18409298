//! The session that a call started: how it stands, what it did last.

use super::super::{Card, parts::Mark};
use super::{look::Look, output, target, tool_name};
use crate::figures;
use crate::icon::{Glyph, Icon, Size};
use crate::message::view_options::{Child, Step};
use crate::shared::{message_href, session_href};
use crate::unmarked;
use crate::visible;
use api::messages::Entry;
use leptos::prelude::*;
use model::message_type::tool_call::{ToolCall, ToolState};
use model::{Body, SessionState, text::one_line};
use std::sync::Arc;

/// Where its transcript is read, at a message of it.
pub(super) fn address(child: &Child, seq: Option<i64>) -> String {
    let session = child.session.id.as_str();
    seq.map_or_else(|| session_href(session), |seq| message_href(session, seq))
}

/// While it works, its state is the card's.
pub(super) fn mark(child: &Child) -> Option<Mark> {
    match child.session.state {
        SessionState::Working => Some(Mark::new("running", Glyph::WORK, "Working")),
        SessionState::NeedsYou => Some(Mark::new("needs", Glyph::NEEDS, "Needs you")),
        SessionState::Quiet => Some(Mark::new("idle", Glyph::CLOCK, "No end recorded")),
        SessionState::Lost => Some(Mark::new("lost", Glyph::LOST, "Lost")),
        SessionState::Failed | SessionState::Done | SessionState::Idle => None,
    }
}

/// Returns the agent's current activity in one line.
pub(super) fn news(card: &Card, child: &Child) -> Option<String> {
    mark(child)?;
    let entry = &child.steps.last()?.entry;
    Some(match Did::of(card, entry) {
        Did::Tool(look, _) => one_line(&format!("{} {}", look.name, look.target), MAX_CHARS),
        Did::File(word, path) => one_line(&format!("{word} {path}"), MAX_CHARS),
        Did::Said => said(entry),
    })
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
    (processed > 0).then(|| format!("{} tokens", figures::tokens(processed)))
}

/// Its last messages, each leading to its place.
pub(super) fn steps(card: &Card, child: &Child) -> Option<AnyView> {
    let steps: Vec<_> = child.steps.iter().map(|of| step(card, child, of)).collect();
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

/// Characters of a step at most.
const MAX_CHARS: usize = 140;

/// A step, with the title of its message's card.
enum Did<'e> {
    Tool(Box<Look>, &'e ToolCall),
    /// A word, and the path of a file.
    File(String, String),
    Said,
}

impl<'e> Did<'e> {
    fn of(card: &Card, entry: &'e Entry) -> Self {
        // Its paths are short in the folder that it worked in.
        let card = Card::new(entry.clone(), Arc::clone(&card.options));
        match entry.body() {
            Body::ToolCall(call) => Self::Tool(Box::new(Look::of(&card, call)), call),
            Body::CodeEdit(edit) => match edit.files().as_slice() {
                [path] => {
                    let word = entry.summary.split([':', ' ']).next().filter(|word| !word.is_empty()).unwrap_or("Edit");
                    Self::File(word.to_owned(), card.short_path(path).to_owned())
                }
                _ => Self::Said,
            },
            _ => Self::Said,
        }
    }
}

fn step(card: &Card, child: &Child, Step { entry, glyph }: &Step) -> AnyView {
    let did = Did::of(card, entry);
    let failed = matches!(&did, Did::Tool(_, call) if call.state() == ToolState::Failed);
    let glyph = match &did {
        _ if failed => Glyph::FAIL,
        Did::Tool(look, _) => look.glyph,
        _ => *glyph,
    };
    let to = address(child, Some(entry.message.seq));
    let words = match did {
        Did::Tool(look, call) => {
            let ended = ended(call).map(|words| {
                view! { <span class="cap">{visible::html(&words).into_view()}</span> }
            });
            view! {
                {tool_name(&look.name, &call.tool_name)}
                {target(&look, None)}
                {ended}
            }
            .into_any()
        }
        Did::File(word, path) => view! {
            <b>{visible::html(&word).into_view()}</b>
            <span class="target path" title=visible::plain(&path)>
                {visible::path(&path).into_view()}
            </span>
        }
        .into_any(),
        Did::Said => visible::html(&said(entry)).into_view().into_any(),
    };
    view! {
        <li data-state=failed.then_some("failed")>
            <Icon glyph size=Size::Small />
            <a class="cut" href=to>
                {words}
            </a>
        </li>
    }
    .into_any()
}

/// How a step ended that isn't simply done.
fn ended(call: &ToolCall) -> Option<String> {
    Some(match call.state() {
        ToolState::Done => return None,
        ToolState::Running => "Running".to_owned(),
        ToolState::Failed => match output::error(call) {
            Some(error) => format!("Failed: {}", one_line(error, 60)),
            None => "Failed".to_owned(),
        },
        ToolState::Denied => "Denied".to_owned(),
        ToolState::Cancelled => "Cancelled".to_owned(),
        ToolState::Orphaned => "No answer recorded".to_owned(),
    })
}

fn said(entry: &Entry) -> String {
    let said = if entry.summary.is_empty() { &entry.message.draft.content } else { &entry.summary };
    unmarked::line(&one_line(said, MAX_CHARS))
}
