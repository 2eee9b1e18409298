//! The registry: which component draws which message type.
//!
//! Built-in types are an exhaustive match, so that a type without a component doesn't compile. Types that others declare
//! are looked up in a table. What nothing knows is drawn by [`Unknown`], and what fails while it is drawn is shown as
//! text and JSON: a message is never blank, and never takes the page down with it.

mod cache;

use crate::ansi;
use crate::figures;
use crate::html::Html;
use crate::message::{
    Card,
    action::Action,
    approval::Approval,
    broken::{broken, late},
    code_edit::CodeEdit,
    error::Error,
    file::File,
    parts::{DevStrip, show_all},
    text::Text,
    todo::Todo,
    tool_call::ToolCall,
    unknown::Unknown,
    voice::{head, speaker},
};
use crate::render::render_part;
use crate::transcript::TranscriptOptions;
use api::messages::{Delivery, Display, Entry};
use cache::Drawn;
use leptos::prelude::*;
use model::{
    Body, Micros, Provenance, Role, Status,
    policy::{facts_of, policy},
    text::{as_host, clip, one_line},
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};

/// Draws the payload of a type that isn't built in.
pub type Draw = fn(Card, Value) -> AnyView;

static DECLARED: RwLock<BTreeMap<String, Draw>> = RwLock::new(BTreeMap::new());

/// The registry of message types and their components.
pub struct MessageRenderer;

impl MessageRenderer {
    /// Declares the component of a type that isn't built in; the last declaration wins. Built-in types can't be replaced.
    pub fn register(message_type: &str, draw: Draw) {
        DECLARED.write().unwrap_or_else(PoisonError::into_inner).insert(message_type.to_owned(), draw);
        cache::forget();
    }

    /// The component of a message.
    pub fn view(card: Card) -> AnyView {
        match card.entry.body() {
            Body::Text(_) => view! { <Text card /> }.into_any(),
            Body::CodeEdit(edit) => view! { <CodeEdit card edit /> }.into_any(),
            Body::Todo(todo) => view! { <Todo card todo /> }.into_any(),
            Body::ToolCall(call) => view! { <ToolCall card call /> }.into_any(),
            Body::Approval(approval) => view! { <Approval card approval /> }.into_any(),
            Body::Action(action) => view! { <Action card action /> }.into_any(),
            Body::File(file) => view! { <File card file /> }.into_any(),
            Body::Error(error) => view! { <Error card error /> }.into_any(),
            Body::Unknown { message_type, payload } => {
                let declared = DECLARED.read().unwrap_or_else(PoisonError::into_inner).get(&message_type).copied();
                let payload = Value::Object(payload);
                match declared {
                    Some(draw) => draw(card, payload),
                    None => view! { <Unknown card message_type payload problem=None /> }.into_any(),
                }
            }
            Body::Invalid { message_type, payload, problem } => {
                let problem = Some(problem.to_string());
                view! { <Unknown card message_type payload problem /> }.into_any()
            }
        }
    }
}

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
    html.attr("data-seq", &seq)
        .attr("data-id", message.draft.id.as_str())
        .attr("data-revision", &message.revision.to_string());
    html.attr("data-type", &entry.message_type).attr("data-role", message.draft.role.as_str());
    html.attr("aria-posinset", &seq).attr("aria-setsize", &options.last_seq.max(message.seq).to_string());
    let policy = policy(&facts_of(&message.draft));
    html.attr("data-side", policy.side.as_str()).attr("data-look", policy.look.as_str());
    html.attr("aria-label", &label(entry, options));
    if asks_in_words(entry) {
        html.attr("data-question", "");
    }
    if message.draft.answers_in_words() {
        html.attr("data-answer", "");
    }
    if let Some(delivery) = entry.delivery {
        html.attr("data-delivery", if delivery == Delivery::Waiting { "waiting" } else { "given" });
    }
    if let Some(child) = cache::child(entry, options) {
        html.attr("data-child", &child);
    }
    html.tag(" tabindex=\"-1\">").html(&drawn.html);
    if let Some(delivery) = entry.delivery {
        delivered(&mut html, delivery, options.now);
    }
    html.tag("</article>");
    html.into_string()
}

/// Is it a question that a person answers by writing? An approval has its own buttons.
fn asks_in_words(entry: &Entry) -> bool {
    let draft = &entry.message.draft;
    draft.requires_user_input && draft.status != Status::Retracted && entry.message_type != "APPROVAL"
}

/// Whether the agent has what a person wrote. Not kept with the message: it changes without it.
fn delivered(html: &mut Html, delivery: Delivery, now: Micros) {
    match delivery {
        Delivery::Waiting => {
            html.tag("<p class=\"delivery\" data-state=\"idle\">Waiting: the agent gets it with its next call</p>");
        }
        Delivery::Given { at } => {
            let ago = figures::ago(now.since(at) / Micros::SECOND).unwrap_or_else(|| "long ago".to_owned());
            html.tag("<p class=\"delivery\">Given to the agent <time").attr("data-us", &at.0.to_string());
            html.tag(">").text(&ago).tag("</time></p>");
        }
    }
}

/// What a screen reader says of the row.
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
    let key = cache::key(entry, options);
    if let Some(drawn) = cache::get(&key) {
        return drawn;
    }
    let class = class(entry, options);
    if options.stop.is_over() {
        return Arc::new(Drawn { class, html: late(entry) });
    }
    let mut html = catch_unwind(AssertUnwindSafe(|| draw(entry, options))).unwrap_or_else(|_| broken(entry));
    if let Some(bytes) = options.cut.get(&entry.message.seq) {
        show_all(&mut html, &format!("Show all ({})", figures::bytes(*bytes)));
    }
    let drawn = Arc::new(Drawn { class, html });
    // What was drawn in a hurry may lack a part.
    if !options.stop.is_over() {
        cache::keep(key, &drawn);
    }
    drawn
}

fn draw(entry: &Entry, options: &TranscriptOptions) -> Html {
    let card = Card { entry: Arc::new(entry.clone()), options: Arc::new(options.clone()) };
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

/// What the agent said with its card. A card that asks for a decision holds it itself.
fn besides(card: &Card) -> Option<Html> {
    if card.options.answers && card.entry.shown_sha256.is_some() && card.entry.message_type == "APPROVAL" {
        return None;
    }
    let words = model::markdown::said_besides(card.draft()).filter(|_| card.draft().status != Status::Retracted)?;
    Some(card.prose(words))
}

/// How far the row stands from the one above it.
fn class(entry: &Entry, options: &TranscriptOptions) -> &'static str {
    let draft = &entry.message.draft;
    let extra = |key: &str| draft.metadata.as_ref().and_then(|metadata| metadata.get(key));
    let state = extra("payload").and_then(|payload| payload.get("state")?.as_str());
    let superseded = options.newest_todo.is_some_and(|newest| newest != entry.message.seq);
    match (draft.role, entry.message_type.as_str()) {
        _ if draft.status == Status::Retracted => "m tight",
        _ if draft.is_interruption() => "m tight",
        (Role::Host, "TEXT") => "m",
        (Role::Assistant, "TODO") if superseded => "m tight",
        (_, "APPROVAL") if state.is_some_and(|state| state != "open") => "m tight",
        (Role::User, "TEXT") => "m turn",
        (_, "TOOL_CALL") => "m tight",
        _ if entry.display == Display::Collapsed => "m tight",
        _ => "m",
    }
}
