//! The name above a message, and marks of texts that an agent passed on or wrote in another's name.

use super::Card;
use crate::icon::{Glyph, Icon, Size};
use crate::message::view_options::TranscriptOptions;
use crate::visible;
use leptos::prelude::*;
use model::policy::{Channel, Look, Policy, Side, facts_of, policy};
use model::routing::{ControlWord, Ignored, Mark};
use model::{Draft, MessageType, Provenance, Role};

/// Returns the name of whoever speaks, as the page shows it.
pub fn speaker(draft: &Draft, options: &TranscriptOptions) -> String {
    let named = draft.sender_name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    match draft.role {
        Role::Assistant => match options.assistant.of(draft) {
            "" => "Agent".to_owned(),
            name => name.to_owned(),
        },
        Role::User if draft.sender == "agent" && draft.provenance == Provenance::Reader => "The agent above".to_owned(),
        Role::User if draft.provenance == Provenance::Key => named.unwrap_or("A person").to_owned(),
        Role::User => named.unwrap_or("You").to_owned(),
        Role::Model => "Reasoning".to_owned(),
        Role::Tool => named.unwrap_or("Tool").to_owned(),
        Role::System => named.unwrap_or("System").to_owned(),
        Role::Host => "Host".to_owned(),
    }
}

/// Returns true if it is an answer of the assistant, in its own voice.
pub fn is_answer(draft: &Draft) -> bool {
    is_answered_by(draft, policy(&facts_of(draft)))
}

fn is_answered_by(draft: &Draft, policy: Policy) -> bool {
    let is_text = draft.role == Role::Assistant && draft.message_type() == MessageType::Text;
    is_text && policy.look == Look::Plain
}

/// Returns the line above a message: always for words that aren't the speaker's own, and for people with a name. That
/// of an answer shows where the speaker changes.
pub fn head(card: &Card) -> Option<AnyView> {
    let draft = card.draft();
    let policy = card.policy;
    let name = speaker(draft, &card.options);
    let named = |class: &'static str| view! { <p class=class>{visible::html(&name).into_view()}</p> }.into_any();
    if policy.channel == Channel::Task && draft.role == Role::User {
        return Some(marked("Scheduled task", Glyph::CLOCK, "\u{bb} [Scheduled Task]"));
    }
    if let Some(channel) = channel(draft) {
        let from = format!("From {channel}");
        let reason = route(draft).map(|(_, reason)| view! { " "<span class="cap">{reason}</span> });
        return Some(
            view! {
                <p class="by person">
                    <b>{visible::html(&name).into_view()}</b>
                    " "
                    <span class="chip">{visible::html(&from).into_view()}</span>
                    {reason}
                </p>
            }
            .into_any(),
        );
    }
    match (policy.look, policy.side) {
        (Look::PassedOn, ..) => Some(marked(&name, Glyph::USER, "Passed on by the agent")),
        (Look::Notice, ..) => Some(marked(
            &name,
            Glyph::COMMENT,
            &format!("Notice by the agent, sent as \u{201c}{}\u{201d}", draft.sender.trim()),
        )),
        (_, Side::Right) if route(draft).is_some() => route(draft).map(|(glyph, reason)| marked(&name, glyph, reason)),
        (_, Side::Right) if draft.sender_name.is_some() => Some(named("by person")),
        _ if is_answered_by(draft, policy) => Some(named("by")),
        _ => None,
    }
}

/// Returns the name of the channel by which a person's message came.
fn channel(draft: &Draft) -> Option<&str> {
    let is_persons = draft.role == Role::User && draft.provenance == Provenance::Person;
    draft.metadata.as_ref().filter(|_| is_persons)?.get("channel")?.get("name")?.as_str()
}

/// Where a person's message went, if that isn't to the agent at once.
fn route(draft: &Draft) -> Option<(Glyph, &'static str)> {
    let mark = Mark::of(draft);
    Some(match (mark.control, mark.ignored) {
        (Some(ControlWord::Btw), _) => (Glyph::COMMENT, "By the way: doesn't wake the agent"),
        (Some(ControlWord::Todo), _) => (Glyph::LIST, "For later: wakes nobody"),
        (Some(_), _) => (Glyph::TERM, "Control word: not for the agent"),
        (None, Some(Ignored::Drop)) => (Glyph::COMMENT, "Not addressed to the agent"),
        (None, Some(Ignored::Accumulate)) => (Glyph::COMMENT, "Not addressed: read with the next message"),
        (None, None) => return None,
    })
}

/// A name with the reason why the words below it aren't shown as those of the speaker they claim.
fn marked(name: &str, glyph: Glyph, reason: &str) -> AnyView {
    view! {
        <p class="by marked">
            <Icon glyph size=Size::Small />
            <b>{visible::html(name).into_view()}</b>
            <span class="chip">{visible::html(reason).into_view()}</span>
        </p>
    }
    .into_any()
}
