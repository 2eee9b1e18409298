//! What several components are made of.

use super::Card;
use crate::icon::{Glyph, Icon, Size};
use crate::time_text::Moment;
use leptos::prelude::*;

/// A state: an icon, a word, a colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// `data-state`: gives the colour.
    pub state: &'static str,
    pub glyph: Glyph,
    pub word: String,
}

impl Mark {
    pub fn new(state: &'static str, glyph: Glyph, word: impl Into<String>) -> Self {
        Self { state, glyph, word: word.into() }
    }
}

/// Icon and word in the colour of the state.
#[component]
pub fn State(mark: Mark) -> impl IntoView {
    let size = if mark.state == "running" { Size::Spinning } else { Size::Small };
    view! {
        <span class="state" data-state=mark.state>
            <Icon glyph=mark.glyph size />
            <span>{mark.word}</span>
        </span>
    }
}

/// A button that is an icon, with its word for those who don't see it.
#[component]
pub fn IconButton(action: &'static str, glyph: Glyph, label: &'static str) -> impl IntoView {
    view! {
        <button type="button" class="btn quiet tiny icon" data-action=action title=label aria-label=label>
            <Icon glyph />
        </button>
    }
}

/// A quiet button with its word.
#[component]
pub fn TextButton(action: &'static str, label: String) -> impl IntoView {
    view! {
        <button type="button" class="btn quiet tiny" data-action=action>
            {label}
        </button>
    }
}

/// A button that copies a text of its own; without one, `copy` takes the message's markdown.
#[component]
pub fn CopyText(text: String, label: &'static str) -> impl IntoView {
    view! {
        <button type="button" class="btn quiet tiny" data-action="copy" data-text=text>
            {label}
        </button>
    }
}

/// Time and actions of a message without a frame, on hover and focus.
#[component]
pub fn Acts(card: Card) -> impl IntoView {
    view! {
        <div class="acts">
            <Moment at=card.draft().created_at now=card.options.now />
            <IconButton action="copy" glyph=Glyph::Copy label="Copy as markdown" />
            <IconButton action="link" glyph=Glyph::Link label="Copy link" />
        </div>
    }
}

/// The button that draws the whole message.
#[component]
pub fn ShowAll(label: String) -> impl IntoView {
    view! {
        <button type="button" class="hidden-lines" data-action="all">
            <Icon glyph=Glyph::Fold size=Size::Small />
            {label}
        </button>
    }
}

/// One line of what the record says of a message, with dev on.
#[component]
pub fn DevStrip(card: Card) -> impl IntoView {
    let draft = card.draft();
    let message = &card.entry.message;
    let kind = format!("{} / {}", draft.role, card.entry.message_type);
    let sender = match &draft.sender_name {
        Some(name) if *name != draft.sender => format!("{} ({name})", draft.sender),
        _ => draft.sender.clone(),
    };
    let part = (draft.part != model::Part::Whole).then(|| draft.part.as_str());
    let status = (draft.status != model::Status::Final).then(|| draft.status.as_str());
    let call = draft.call_id.as_deref().map(|id| format!("call {}", model::text::clip(id, 24)));
    let records = match message.records.len() {
        0 => None,
        1 => Some("1 record".to_owned()),
        n => Some(format!("{n} records")),
    };
    view! {
        <p class="dev">
            <a href=format!("#m{}", message.seq)>{format!("seq {}", message.seq)}</a>
            <span>{kind}</span>
            <span>{sender}</span>
            {part.map(|part| view! { <span>{part}</span> })}
            {status.map(|status| view! { <span>{status}</span> })}
            <span>{format!("context {}", draft.context)}</span>
            <span>{format!("rev {}", message.revision)}</span>
            {call.map(|call| view! { <span>{call}</span> })}
            {card.entry.copied.then(|| view! { <span>"copied from the parent"</span> })}
            <Moment at=draft.created_at now=card.options.now />
            <button type="button" data-action="raw">
                {records.unwrap_or_else(|| "raw".to_owned())}
            </button>
        </p>
    }
}
