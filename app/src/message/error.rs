//! ERROR: what went wrong, in words first, with its stack trace below.

use super::{
    Card,
    parts::{CopyText, Mark, ShowAll, State},
};
use crate::clock::{Clock, exact_moment, retry_moment};
use crate::figures::counted;
use crate::icon::Glyph;
use crate::visible;
use api::messages::Entry;
use leptos::prelude::*;
use model::{
    Body, Draft,
    message_type::error::{self, Frame},
    text::one_line,
};

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
        (None, Some(true)) => Some("can be retried".to_owned()),
        (None, Some(false)) => Some("final".to_owned()),
        _ => None,
    };
    let retry = error.retry_at.map(|at| retry_moment(&Clock::utc(card.options.now), at, "cap num"));
    let frames = frames(&card, &error);
    let class = if fits { "card strip-card" } else { "card" };
    let kind = words(&error.error_type);
    let note = note.map(|note| view! { <span class="cap">{note}</span> });
    // A message that begins with its kind says it alone.
    let (kind, short) = if fits && short.starts_with(&kind) { (short, String::new()) } else { (kind, short) };
    let said = Some(short).filter(|short| fits && !short.is_empty());
    let mark = Mark::new("failed", Glyph::FAIL, kind);
    let extra = |key: &str| card.draft().metadata.as_ref()?.get(key)?.as_str();
    // Id for questions to the provider.
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
                {retry}
                {exact_moment(&Clock::utc(card.options.now), card.draft().created_at, "cap")}
            </div>
            {(!fits)
                .then(|| {
                    view! {
                        <div class="body">
                            <div class="prose">{card.typed(&message).into_view()}</div>
                            {frames}
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

/// The stack trace: own code first, and that of libraries folded. Their numbers say where in it they stand. One without
/// own code is shown as it is.
fn frames(card: &Card, error: &error::Error) -> Option<AnyView> {
    let cwd = card.draft().origin.cwd.as_deref();
    let folders: Vec<&str> = cwd.into_iter().chain([card.options.project.as_str()]).collect();
    let numbered = error.frames.iter().enumerate();
    let (mut own, mut others): (Vec<_>, Vec<_>) = numbered.partition(|(_, frame)| frame.is_own(&folders));
    if own.is_empty() {
        std::mem::swap(&mut own, &mut others);
    }
    let label = counted(others.len() as i64, "library frame");
    let folded = (!others.is_empty()).then(|| {
        view! { <details class="aside"><summary>{label}</summary>{trace(card, &others)}</details> }
    });
    (!own.is_empty()).then(|| view! { {trace(card, &own)} {folded} }.into_any())
}

fn trace(card: &Card, frames: &[(usize, &Frame)]) -> impl IntoView + use<> {
    let most = if card.whole() { usize::MAX } else { FRAMES };
    let rows: Vec<_> = frames
        .iter()
        .take(most)
        .map(|(at, frame)| {
            let code = frame.code.as_deref().map(|code| view! { <code>{visible::html(code).into_view()}</code> });
            let short = frame.file.as_deref().map(|file| card.short_path(file).to_owned());
            let title = frame.file.clone().filter(|file| short.as_ref() != Some(file));
            let place = Frame { file: short, ..(*frame).clone() }.place();
            view! { <li value=(at + 1).to_string() title=title>{visible::html(&place).into_view()} " " {code}</li> }
        })
        .collect();
    let left = frames.len().saturating_sub(most);
    let left = (left > 0).then(|| format!("Show {}", counted(left as i64, "more frame")));
    view! {
        <ol class="frames">{rows}</ol>
        {left.map(|label| view! { <ShowAll label /> })}
    }
}

fn message(draft: &Draft, error: &error::Error) -> String {
    if error.message.is_empty() { draft.content.clone() } else { error.message.clone() }
}

/// Returns the error in a few words: its message if that begins with its kind, else the kind.
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
