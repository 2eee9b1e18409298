//! A message as an article: its attributes, its label, and what its component draws, kept while there is room.

use super::MessageRenderer;
use super::cache::{self, Drawn};
use super::request;
use crate::ansi;
use crate::figures;
use crate::html::Html;
use crate::message::view_options::TranscriptOptions;
use crate::message::{
    Card,
    broken::{broken, late},
    parts::{DevStrip, show_all},
    voice::{head, speaker},
};
use crate::render::render_part;
use crate::shared::attr;
use api::messages::{Delivery, Display, Entry};
use leptos::prelude::*;
use model::closed::Closed;
use model::{
    Body, MessageType, Micros, Provenance, Role, Status,
    policy::{facts_of, policy},
    text::{as_host, clip, one_line},
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A message as a whole `<article>`. Never fails: a component that panics gives way to the raw message.
pub fn render_article(entry: &Entry, options: &TranscriptOptions) -> String {
    let drawn = drawn(entry, options);
    let message = &entry.message;
    let seq = message.seq.to_string();
    let mut html = Html::new();
    html.tag("<article").attr("class", drawn.class);
    if !options.nested {
        html.attr("id", &format!("m{seq}"));
    }
    html.attr(attr::SEQ, &seq)
        .attr(attr::ID, message.draft.id.as_str())
        .attr(attr::REVISION, &message.revision.to_string());
    html.attr(attr::TYPE, &entry.message_type).attr(attr::ROLE, message.draft.role.as_str());
    html.attr("aria-posinset", &seq).attr("aria-setsize", &options.last_seq.max(message.seq).to_string());
    let policy = policy(&facts_of(&message.draft));
    html.attr(attr::SIDE, policy.side.as_str()).attr(attr::LOOK, policy.look.as_str());
    html.attr("aria-label", &label(entry, options));
    if asks_in_words(entry) {
        html.attr(attr::QUESTION, "");
    }
    if message.draft.answers_in_words() {
        html.attr(attr::ANSWER, "");
    }
    if let Some(delivery) = entry.delivery {
        html.attr(attr::DELIVERY, if delivery == Delivery::Waiting { "waiting" } else { "given" });
    }
    if let Some(child) = cache::child(entry, options) {
        html.attr(attr::CHILD, &child);
    }
    html.tag(" tabindex=\"-1\">");
    if let Some(of) = options.requests.get(&message.seq).filter(|_| options.dev) {
        request::head(&mut html, of, options);
    }
    html.html(&drawn.html);
    if let Some(closed) = Closed::of(&message.draft).filter(|_| entry.message_type != MessageType::Approval) {
        html.tag("<p class=\"line closed\">").text(closed.reason.sentence()).tag("</p>");
    }
    if let Some(delivery) = entry.delivery {
        delivered(&mut html, delivery, options.now);
    }
    html.tag("</article>");
    html.into_string()
}

/// Is it a question that a person answers by writing? An approval has its own buttons.
fn asks_in_words(entry: &Entry) -> bool {
    let draft = &entry.message.draft;
    draft.requires_user_input && draft.status != Status::Retracted && entry.message_type != MessageType::Approval
}

/// Whether the agent has what a person wrote. Not kept with the message: it changes without it.
fn delivered(html: &mut Html, delivery: Delivery, now: Micros) {
    match delivery {
        Delivery::Waiting => {
            html.tag("<p class=\"delivery\" data-state=\"idle\">Waiting: the agent gets it with its next call</p>");
        }
        Delivery::Given { at } => {
            let ago = figures::ago(now.since(at) / Micros::SECOND).unwrap_or_else(|| "long ago".to_owned());
            html.tag("<p class=\"delivery\">Given to the agent <time").attr(attr::US, &at.0.to_string());
            html.tag(">").text(&ago).tag("</time></p>");
        }
    }
}

/// Returns the label for screen readers.
fn label(entry: &Entry, options: &TranscriptOptions) -> String {
    let draft = &entry.message.draft;
    let name = speaker(draft, options);
    let who = match draft.role {
        // A name alone could be anybody's.
        Role::Assistant if draft.sender_name.is_some() && draft.provenance == Provenance::Key => {
            format!("Agent {name}")
        }
        Role::User if draft.provenance == Provenance::Key => format!("{name}, passed on by the agent"),
        _ => name,
    };
    let summary = if entry.summary.is_empty() { &draft.content } else { &entry.summary };
    let summary = as_host(summary).unwrap_or(summary);
    clip(&format!("{who}: {}", one_line(&ansi::plain(summary), 140)), 160)
}

fn drawn(entry: &Entry, options: &TranscriptOptions) -> Arc<Drawn> {
    let key = (!options.masked).then(|| cache::key(entry, options));
    if let Some(drawn) = key.as_ref().and_then(cache::get) {
        return drawn;
    }
    let class = class(entry, options);
    if options.stop.is_over() {
        return Arc::new(Drawn { class, html: late(entry) });
    }
    let mut html = catch_unwind(AssertUnwindSafe(|| draw(entry, options))).unwrap_or_else(|_| broken(entry));
    if let Some(cut) = options.cut.get(&entry.message.seq) {
        show_all(&mut html, &format!("Show all ({})", figures::bytes(cut.bytes)));
    }
    let drawn = Arc::new(Drawn { class, html });
    // A card that was drawn after the deadline may be incomplete.
    if let Some(key) = key.filter(|_| !options.stop.is_over()) {
        cache::keep(key, &drawn);
    }
    drawn
}

fn draw(entry: &Entry, options: &TranscriptOptions) -> Html {
    let is_text = is_plain(entry, options) || is_taken_back(entry);
    let entry = if is_text { as_text(entry) } else { entry.clone() };
    let card = Card::new(entry, Arc::new(options.clone()));
    let strip = options.dev.then(|| card.clone());
    render_part(move || {
        let head = head(&card);
        let words = besides(&card);
        let drawn = MessageRenderer::view(card);
        let drawn = match words {
            Some(words) => view! { <div class="prose besides">{words.into_view()}</div> {drawn} }.into_any(),
            None => drawn,
        };
        view! {
            {head}
            {drawn}
            {strip.map(|card| view! { <DevStrip card /> })}
        }
    })
}

/// Is it drawn as the text of its content? What waits for a person keeps its buttons.
pub(super) fn is_plain(entry: &Entry, options: &TranscriptOptions) -> bool {
    let is_open = || matches!(entry.body(), Body::Approval(approval) if approval.state.is_open());
    entry.message_type != MessageType::Text && options.plain.is_plain(&entry.message_type) && !is_open()
}

/// A card of what was retracted would be taken for what holds: a plan, a change of a file. A request keeps its title.
fn is_taken_back(entry: &Entry) -> bool {
    let is_request = || matches!(entry.body(), Body::Approval(_));
    entry.message.draft.status == Status::Retracted && entry.message_type != MessageType::Text && !is_request()
}

/// The message as it would be without its data.
fn as_text(entry: &Entry) -> Entry {
    let mut message = entry.message.clone();
    if message.draft.content.is_empty() {
        message.draft.content = model::markdown::generated(&entry.message.draft, entry.body());
    }
    message.draft.metadata = None;
    Entry { copied: entry.copied, delivery: entry.delivery, ..Entry::of(message, entry.display) }
}

/// Returns the agent's text beside its card. A card that asks for a decision contains it itself.
fn besides(card: &Card) -> Option<Html> {
    if card.options.answers && card.entry.shown_sha256.is_some() && card.entry.message_type == MessageType::Approval {
        return None;
    }
    let words = model::markdown::said_besides(card.draft(), card.entry.body())
        .filter(|_| card.draft().status != Status::Retracted)?;
    Some(card.prose(words))
}

/// How far the row stands from the one above it.
fn class(entry: &Entry, options: &TranscriptOptions) -> &'static str {
    let draft = &entry.message.draft;
    let state = draft.payload().and_then(|payload| payload.get("state")?.as_str());
    let superseded = options.newest_todo.is_some_and(|newest| newest != entry.message.seq);
    match (draft.role, MessageType::parse(&entry.message_type)) {
        _ if draft.status == Status::Retracted => "m tight",
        _ if draft.is_interruption() => "m tight",
        (Role::Host, Some(MessageType::Text)) => "m",
        (Role::Assistant, Some(MessageType::Todo)) if superseded => "m tight",
        (_, Some(MessageType::Approval)) if state.is_some_and(|state| state != "open") => "m tight",
        (Role::User, Some(MessageType::Text)) => "m turn",
        (_, Some(MessageType::ToolCall)) => "m tight",
        _ if entry.display == Display::Collapsed => "m tight",
        _ => "m",
    }
}
