//! TEXT: markdown in somebody's voice. Who speaks, and what the agent's reader said of it, decide the shape.

mod hint;
mod notes;

use super::{
    Card,
    parts::{Acts, Mark, ShowAll, State},
    voice::speaker,
};
use crate::figures::counted;
use crate::html::Html;
use crate::icon::{Glyph, Icon, Size};
use crate::markdown::{Breaks, repaired};
use hint::Hint;
use leptos::prelude::*;
use model::policy::{Channel, Look, Policy, Side};
use model::{Context, Provenance, Role, Status};
use std::collections::BTreeSet;

/// A person's text beyond these is clamped until asked for.
const CLAMP_LINES: usize = 12;
const CLAMP_CHARS: usize = 1_200;

#[component]
pub fn Text(card: Card) -> impl IntoView {
    if card.draft().status != Status::Retracted {
        return said(card);
    }
    let content = card.options.dev.then(|| said(card));
    view! {
        <p class="line">"Retracted"</p>
        {content}
    }
    .into_any()
}

fn said(card: Card) -> AnyView {
    let hint = Hint::of(&card);
    if let Some(view) = notes::view(&card, &hint) {
        return view;
    }
    match card.policy {
        Policy { look: Look::Thought, .. } => reasoning(card, &hint).into_any(),
        Policy { look: Look::Accent | Look::Success | Look::Failure, .. } => notes::tool_output(&card).into_any(),
        Policy { look: Look::House, .. } => notes::host(&card).into_any(),
        Policy { look: Look::System, .. } | Policy { side: Side::Centre, .. } => system(card).into_any(),
        Policy { side: Side::Right, .. } | Policy { look: Look::PassedOn, .. } => user(card).into_any(),
        _ => notes::as_host(&card).unwrap_or_else(|| assistant(card, &hint).into_any()),
    }
}

fn user(card: Card) -> impl IntoView {
    let agent = card.draft().sender == "agent" && card.draft().provenance == Provenance::Reader;
    let content = &card.draft().content;
    let content = if agent { &without_wrappers(content) } else { content };
    let clamped = is_long(content) && !card.whole();
    // An agent's prompt to another one is markdown; of what a person typed every sign is kept.
    let html = if agent { card.markdown(content, Breaks::Hard) } else { card.typed(content) };
    let class = if clamped { "prose clamp" } else { "prose" };
    let who = speaker(card.draft(), &card.options);
    let voice = card.voice_class();
    view! {
        <div class=voice>
            <Acts card />
            <h2 class="sr">{who}</h2>
            <div class=class>{html.into_view()}</div>
            {clamped.then(|| view! { <ShowAll label="Show all".to_owned() /> })}
        </div>
    }
}

/// Returns an agent's message to another one without the tags around its parts, which are pairs of separate lines. Tags
/// in code stay.
fn without_wrappers(text: &str) -> String {
    let name = |line: &str, open: &str| {
        let name = line.trim().strip_prefix(open)?.strip_suffix('>')?;
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
        (!name.is_empty() && name.chars().all(fits)).then(|| name.to_owned())
    };
    let mut fenced = false;
    let lines: Vec<(&str, bool)> = text
        .lines()
        .map(|line| {
            fenced ^= line.trim_start().starts_with("```");
            (line, fenced)
        })
        .collect();
    let named = |open: &str| {
        let outside = lines.iter().filter(|(_, fenced)| !fenced);
        outside.filter_map(|(line, _)| name(line, open)).collect::<BTreeSet<_>>()
    };
    let pairs: BTreeSet<String> = named("<").intersection(&named("</")).cloned().collect();
    let is_wrapper =
        |line: &str| name(line, "<").or_else(|| name(line, "</")).is_some_and(|name| pairs.contains(&name));
    let kept = lines.iter().map(|(line, fenced)| if !fenced && is_wrapper(line) { "" } else { line });
    kept.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Returns true if a person's text is clamped.
pub(super) fn is_long(text: &str) -> bool {
    text.lines().nth(CLAMP_LINES).is_some() || text.chars().nth(CLAMP_CHARS).is_some()
}

fn assistant(card: Card, hint: &Hint) -> impl IntoView {
    let writing = card.draft().status == Status::Streaming;
    let content = &card.draft().content;
    let empty = (content.trim().is_empty() && !writing).then(|| view! { <p class="mut">"Empty message"</p> });
    let html = if writing { card.prose(&repaired(content)) } else { card.prose(content) };
    let class = if writing { "msg prose writing" } else { "msg prose" };
    let end = match (hint, card.draft().status) {
        (Hint::Aborted, _) => Some((Glyph::STOP, "Interrupted")),
        (_, Status::Error) => Some((Glyph::FAIL, "Ended with an error")),
        _ => None,
    };
    view! {
        <div class=class>
            <Acts card />
            {html.into_view()}
            {empty}
            {end
                .map(|(glyph, words)| {
                    view! {
                        <p class="mut">
                            <Icon glyph size=Size::Small />
                            {words}
                        </p>
                    }
                })}
        </div>
    }
}

fn reasoning(card: Card, hint: &Hint) -> impl IntoView {
    let empty = card.draft().content.trim().is_empty();
    let words = if *hint == Hint::Redacted || empty { "Thought, not recorded in plain text" } else { "Thought" };
    let body = (!empty).then(|| beginning(&card, Breaks::Soft));
    view! {
        <div class="msg sys think">
            <Acts card />
            <p class="who">
                <State mark=Mark::new("thinking", Glyph::THINK, words) />
            </p>
            {body}
        </div>
    }
}

fn system(card: Card) -> impl IntoView {
    let draft = card.draft();
    let kind = title(&draft.sender);
    // Another agent, session or channel is named.
    let (glyph, title, kind) = match &draft.sender_name {
        Some(name) => (Glyph::SUB, name.clone(), Some(kind)),
        None => (Glyph::GEAR, kind, None),
    };
    // That the agent reads it is the rule. What a transcript's agent was told, its record alone says.
    let context = match draft.context {
        _ if card.is_observed() => draft.origin.record.as_deref().map(|kind| format!("recorded as {kind}")),
        Context::Turn => None,
        Context::Ephemeral => Some("for this run only".to_owned()),
        Context::None => Some("not told to the agent".to_owned()),
    };
    // The line above a scheduled prompt identifies it.
    let has_head = draft.role == Role::User && card.policy.channel == Channel::Task;
    let who = (!has_head).then(|| {
        view! {
            <p class="who">
                <Icon glyph size=Size::Small />
                <b>{title}</b>
                {kind.map(|words| view! { <span>{words}</span> })}
                {context.map(|words| view! { <span>{words}</span> })}
            </p>
        }
    });
    let body = beginning(&card, Breaks::Hard);
    view! {
        <div class="msg sys">
            <Acts card />
            {who}
            {body}
        </div>
    }
}

/// The beginning of a text that isn't the conversation itself.
fn beginning(card: &Card, breaks: Breaks) -> impl IntoView + use<> {
    const LINES: usize = 30;
    const BYTES: usize = 4_000;
    let text = card.draft().content.as_str();
    let end = text.match_indices('\n').nth(LINES).map_or(text.len(), |(at, _)| at);
    let end = if card.whole() { text.len() } else { text.floor_char_boundary(end.min(BYTES)) };
    // A program printed what a hook says.
    let printed = card.draft().sender.starts_with("hook_");
    let html: Html = if printed { card.typed(&text[..end]) } else { card.markdown(&text[..end], breaks) };
    let hidden = text[end..].trim_matches('\n').lines().count() as i64;
    view! {
        <div class="prose">{html.into_view()}</div>
        {(hidden > 0).then(|| view! { <ShowAll label=format!("Show {}", counted(hidden, "hidden line")) /> })}
    }
}

/// `system_notice` as `System notice`.
fn title(sender: &str) -> String {
    let words = sender.replace(['_', '-'], " ");
    let mut chars = words.chars();
    chars.next().map_or_else(|| "System".to_owned(), |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::without_wrappers;

    #[test]
    fn tags_around_parts_go_and_code_stays() {
        let text = "<plan>\nDo <b>it</b>\n<lone>\n</plan>\n```html\n<plan>\n</plan>\n```";
        assert_eq!(without_wrappers(text), "Do <b>it</b>\n<lone>\n\n```html\n<plan>\n</plan>\n```");
    }
}
