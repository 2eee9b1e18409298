//! Parts of several components.

use super::Card;
use crate::clock::{Clock, exact_moment};
use crate::html::Html;
use crate::icon::{Glyph, Icon, IconStyle, Motion, Size};
use crate::names::listed;
use crate::shared::attr;
use crate::shared::context_href;
use crate::shared::page_action::PageAction;
use crate::visible;
use leptos::prelude::*;
use model::text::clip;

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

/// Icon and word in the colour of the state. What went as usual needs no word where room is short.
#[component]
pub fn State(mark: Mark) -> impl IntoView {
    let word = match mark.state {
        "applied" => view! { <span class="sr-narrow">{mark.word}</span> }.into_any(),
        _ => mark.word.into_any(),
    };
    view! {
        <span class="state" data-state=mark.state>
            <Icon glyph=mark.glyph size=Size::Small motion=Motion::spins_if(mark.state == "running") />
            {word}
        </span>
    }
}

/// A button that shows an icon. The label is its tooltip and its accessible name.
#[component]
pub fn IconButton(action: PageAction, glyph: Glyph, label: &'static str) -> impl IntoView {
    view! {
        <button
            type="button"
            class="btn quiet tiny icon"
            data-action=action.name()
            title=label
            aria-label=label
        >
            <Icon glyph />
        </button>
    }
}

/// A quiet button with its word.
#[component]
pub fn TextButton(action: PageAction, label: String) -> impl IntoView {
    view! {
        <button type="button" class="btn quiet tiny" data-action=action.name()>
            {label}
        </button>
    }
}

/// A button that copies a text of its own; without one, `copy` takes the message's markdown.
#[component]
pub fn CopyText(text: String, label: &'static str) -> impl IntoView {
    view! {
        <button type="button" class="btn quiet tiny" data-action=PageAction::Copy.name() data-text=text>
            {label}
        </button>
    }
}

/// A button that copies what is read at an address.
#[component]
pub fn CopyFrom(from: String, label: &'static str) -> impl IntoView {
    view! {
        <button type="button" class="btn quiet tiny" data-action=PageAction::Copy.name() data-from=from>
            {label}
        </button>
    }
}

/// Time and actions of a message without a frame, on hover and focus.
#[component]
pub fn Acts(card: Card) -> impl IntoView {
    let context = context_of(&card);
    view! {
        <div class="acts">
            {exact_moment(&Clock::utc(card.options.now), card.draft().created_at, "cap")}
            <IconButton action=PageAction::Copy glyph=Glyph::COPY label="Copy as markdown" />
            <IconButton action=PageAction::CopyLink glyph=Glyph::LINK label="Copy link" />
            {context.map(|to| view! {
                <a class="btn quiet tiny icon" href=to title=SAW aria-label=SAW>
                    <Icon glyph=Glyph::LAYERS />
                </a>
            })}
        </div>
    }
}

const SAW: &str = "What the model saw";

/// The address of what the model saw at a message. None in an export, whose reader may have no server.
fn context_of(card: &Card) -> Option<String> {
    (!card.printed()).then(|| context_href(card.options.session_id.as_str(), card.entry.message.seq))
}

/// The button that draws the whole message.
#[component]
pub fn ShowAll(label: String) -> impl IntoView {
    view! {
        <button type="button" class="hidden-lines" data-action=PageAction::ShowAll.name()>
            <Icon glyph=Glyph::FOLD size=Size::Small />
            {label}
        </button>
    }
}

/// Appends the button of [`ShowAll`], for what is written without components.
pub fn show_all(html: &mut Html, label: &str) {
    html.tag("<button type=\"button\" class=\"hidden-lines\"").attr(attr::ACTION, PageAction::ShowAll.name()).tag(">");
    html.icon(Glyph::FOLD, IconStyle::SMALL);
    html.text(label).tag("</button>");
}

/// Characters of a folded card's text at most: it is there to be found and skimmed.
const FOLDED: usize = 20_000;

/// Content of a folded card until it is unfolded: its text. The island then fetches the unfolded card and replaces this
/// one; `data-folded` on the `<details>` requests that.
#[component]
pub fn Folded(text: String) -> impl IntoView {
    view! {
        <pre class="folded" tabindex="0">
            {visible::html(&clip(&text, FOLDED)).in_pre().into_view()}
        </pre>
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
    // Our context is about prompts that we build: of what a transcript's agent was told it says nothing.
    let context = match &draft.origin.record {
        Some(kind) => Some(format!("recorded as {kind}")),
        None => (!card.is_observed()).then(|| format!("context {}", draft.context)),
    };
    let revision = format!("rev {}", message.revision);
    let records = match message.records.len() {
        0 => "raw".to_owned(),
        1 => "1 record".to_owned(),
        n => format!("{n} records"),
    };
    let facts = [
        Some(kind),
        Some(sender),
        (draft.part != model::Part::Whole).then(|| draft.part.as_str().to_owned()),
        (draft.status != model::Status::Final).then(|| draft.status.as_str().to_owned()),
        context,
        Some(revision),
        draft.call_id.as_deref().map(|id| format!("call {}", clip(id, 24))),
        card.entry.copied.then(|| "copied from the parent".to_owned()),
    ];
    // One element for all of them: a strip stands under every row.
    let facts = listed(facts);
    view! {
        <p class="dev">
            <a href=format!("#m{}", message.seq)>{format!("seq {}", message.seq)}</a>
            <span>{facts}</span>
            {exact_moment(&Clock::utc(card.options.now), draft.created_at, "cap")}
            <button type="button" data-action=PageAction::ShowRaw.name()>
                {records}
            </button>
            {context_of(&card).map(|to| view! { <a href=to>{SAW}</a> })}
        </p>
    }
}
