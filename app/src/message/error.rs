//! ERROR: what went wrong, in words first, with its stack trace below.

use super::{
    Card,
    parts::{CopyText, Mark, ShowAll, State},
};
use crate::clock::{Clock, exact_moment};
use crate::figures::counted;
use crate::icon::Glyph;
use crate::visible;
use api::messages::Entry;
use leptos::prelude::*;
use model::{Body, Draft, message_type::error, text::one_line};

/// Longer messages, in characters, get a body of their own.
const ONE_LINE: usize = 90;
/// Frames of a stack trace drawn until all are asked for.
const FRAMES: usize = 50;

#[component]
pub fn Error(card: Card, error: error::Error) -> impl IntoView {
    let message = message(card.draft(), &error);
    let short = one_line(&message, ONE_LINE + 1);
    let fits = short.chars().count() <= ONE_LINE && error.frames.is_empty();
    let note = match (error.retry_at, error.retryable) {
        _ if attempt(&card).is_some() => attempt(&card),
        (Some(at), _) => Some(format!("retry at {}", Clock::utc(card.options.now).full(at))),
        (None, Some(true)) => Some("can be retried".to_owned()),
        (None, Some(false)) => Some("final".to_owned()),
        (None, None) => None,
    };
    let most = if card.whole() { usize::MAX } else { FRAMES };
    let frames: Vec<_> = error
        .frames
        .iter()
        .take(most)
        .map(|frame| {
            let code = frame.code.as_deref().map(|code| view! { <code>{visible::html(code).into_view()}</code> });
            view! { <li>{visible::html(&frame.place()).into_view()} " " {code}</li> }
        })
        .collect();
    let left = error.frames.len().saturating_sub(most);
    let left = (left > 0).then(|| format!("Show {}", counted(left as i64, "more frame")));
    let class = if fits { "card strip-card" } else { "card" };
    let kind = words(&error.error_type);
    let note = note.map(|note| view! { <span class="cap">{note}</span> });
    // A message that begins with its kind says it alone.
    let (kind, short) = if fits && short.starts_with(&kind) { (short, String::new()) } else { (kind, short) };
    let said = Some(short).filter(|short| fits && !short.is_empty());
    let mark = Mark::new("failed", Glyph::FAIL, kind);
    let extra = |key: &str| card.draft().metadata.as_ref()?.get(key)?.as_str();
    // What the provider is to be told who is asked about it.
    let request = extra("request_id").filter(|id| !id.trim().is_empty()).map(|id| {
        view! {
            <details class="aside">
                <summary>"Details"</summary>
                <dl class="kv">
                    <dt>"Request id"</dt>
                    <dd>
                        <code>{visible::html(id).into_view()}</code>
                        <CopyText text=id.to_owned() label="Copy" />
                    </dd>
                </dl>
            </details>
        }
    });
    view! {
        <section class=class data-state="failed">
            <div class="head">
                <State mark />
                {said.map(|said| view! { <span class="cut mut below">{visible::html(&said).into_view()}</span> })}
                <span class="sp"></span>
                {note}
                {exact_moment(&Clock::utc(card.options.now), card.draft().created_at, "cap")}
            </div>
            {(!fits)
                .then(|| {
                    view! {
                        <div class="body">
                            <div class="prose">{card.typed(&message).into_view()}</div>
                            {(!frames.is_empty()).then(|| view! { <ol class="frames">{frames}</ol> })}
                            {left.map(|label| view! { <ShowAll label /> })}
                        </div>
                        <footer>
                            <span class="sp"></span>
                            <CopyText text=message.clone() label="Copy" />
                        </footer>
                    }
                })}
            {request}
        </section>
    }
}

fn message(draft: &Draft, error: &error::Error) -> String {
    if error.message.is_empty() { draft.content.clone() } else { error.message.clone() }
}

/// What went wrong in a few words: a message that begins with its kind, else the kind.
pub(crate) fn headline(entry: &Entry) -> String {
    let Body::Error(error) = entry.body() else { return "Error".to_owned() };
    let (kind, said) = (words(&error.error_type), one_line(&message(&entry.message.draft, error), ONE_LINE + 1));
    if said.starts_with(&kind) && said.chars().count() <= ONE_LINE { said } else { kind }
}

/// `attempt 2 of 5`, where the agent says it.
fn attempt(card: &Card) -> Option<String> {
    let number = |key: &str| card.draft().metadata.as_ref()?.get(key)?.as_i64();
    Some(format!("attempt {} of {}", number("retry_attempt")?, number("max_retries")?))
}

/// `rate_limit` as words: `Rate limit`.
fn words(error_type: &str) -> String {
    let spaced = error_type.replace('_', " ");
    let mut chars = spaced.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
