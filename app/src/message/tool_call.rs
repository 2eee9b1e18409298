//! `TOOL_CALL`: a quiet line until asked: what was used, on what, how long, with what result. Failed ones are open.

mod look;
mod output;

use super::{
    Card,
    parts::{Folded, Mark, State, TextButton},
};
use crate::icon::{Glyph, Icon, Size};
use crate::time_text::duration;
use crate::{ansi, json_tree};
use leptos::prelude::*;
use look::Look;
use model::{
    message_type::tool_call::{self, ToolState},
    text::one_line,
};
use output::{Keep, Piece};
use serde_json::{Map, Value};

#[component]
pub fn ToolCall(card: Card, call: tool_call::ToolCall) -> impl IntoView {
    let look = Look::of(&card, &call);
    let state = call.state();
    let news = (state == ToolState::Running).then(|| call.other.get("progress").and_then(progress)).flatten();
    let open = card.whole() || state == ToolState::Failed || news.is_some();
    let keep = match (card.whole(), open, look.tail) {
        (true, ..) => Keep::All,
        (false, true, true) => Keep::Last { lines: 16 },
        (false, false, true) => Keep::Last { lines: 60 },
        (false, true, false) => Keep::First { lines: 16 },
        (false, false, false) => Keep::First { lines: 60 },
    };
    let reason = call.other.get("denied_reason").and_then(Value::as_str).map(|reason| one_line(reason, 160));
    let took = call.duration_ms().filter(|ms| *ms >= 50).map(|ms| duration(ms.saturating_mul(1000)));
    let folded = (!open && card.at_a_glance()).then_some("");
    let body = match folded {
        Some(_) => folded_text(&call, &look).map(|text| view! { <Folded text /> }.into_any()),
        None => Some(body(&card, &call, &look, keep, news).into_any()),
    };
    view! {
        <details
            class="card tool"
            data-state=state_word(state)
            data-kind=look.kind.as_str()
            data-folded=folded
            open=open
        >
            <summary>
                <Icon glyph=look.glyph state=look.tint />
                <b title=call.tool_name.clone()>{look.name.clone()}</b>
                <span class="target" title=look.full_target.clone()>
                    {look.target.clone()}
                </span>
                {reason.map(|reason| view! { <span class="cut mut reason">{reason}</span> })}
                {look.meta.clone().map(|meta| view! { <span class="cap hide-narrow">{meta}</span> })}
                {took.map(|took| view! { <span class="cap">{took}</span> })}
                {outcome(&call, state)}
            </summary>
            {body}
        </details>
    }
}

fn body(
    card: &Card,
    call: &tool_call::ToolCall,
    look: &Look,
    keep: Keep,
    news: Option<String>,
) -> impl IntoView + use<> {
    let child = call_child(card);
    view! {
        {input(call, look)}
        {output::pieces(card, call, look, keep).into_iter().map(piece).collect::<Vec<_>>()}
        {notes(call, news)}
        {child
            .map(|child| {
                view! {
                    <a class="btn quiet tiny" href=child>
                        "Open its transcript"
                    </a>
                }
            })}
        <TextButton action="copy" label="Copy".to_owned() />
    }
}

/// What the card holds while it is folded: input and output as text, cut. None if there is nothing to read.
fn folded_text(call: &tool_call::ToolCall, look: &Look) -> Option<String> {
    const MAX_CHARS: usize = 2_000;
    let pretty = || serde_json::to_string_pretty(&call.input).unwrap_or_default();
    let input = (!call.input.is_empty() && !look.says_all)
        .then(|| model::text::clip(&input_text(&call.input).unwrap_or_else(pretty), MAX_CHARS));
    let output = [call.error.clone(), call.output_text()].into_iter().flatten();
    let output = output.map(|text| {
        let text = ansi::plain(&text);
        let text = text.trim_end();
        let from = text.char_indices().nth_back(MAX_CHARS - 1).map_or(0, |(at, _)| at);
        // Of a log its end says most, as in the card that is drawn.
        if look.tail && from > 0 { format!("…{}", &text[from..]) } else { model::text::clip(text, MAX_CHARS) }
    });
    let parts: Vec<String> = input.into_iter().chain(output).filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Done is the rule: its icon alone. Everything else says so in a word.
fn outcome(call: &tool_call::ToolCall, state: ToolState) -> AnyView {
    let mark = match state {
        ToolState::Done => {
            return view! { <Icon glyph=Glyph::Done size=Size::Small label="Done" state="done" /> }.into_any();
        }
        ToolState::Running => Mark::new("running", Glyph::Work, "Running"),
        ToolState::Failed => match call.exit_code().filter(|code| *code != 0) {
            Some(code) => Mark::new("failed", Glyph::Fail, format!("Exit {code}")),
            None => Mark::new("failed", Glyph::Fail, "Failed"),
        },
        ToolState::Denied => Mark::new("denied", Glyph::Cut, "Denied"),
        ToolState::Cancelled => Mark::new("idle", Glyph::Cut, "Cancelled"),
        ToolState::Orphaned => Mark::new("lost", Glyph::Lost, "No result"),
    };
    view! { <State mark /> }.into_any()
}

const fn state_word(state: ToolState) -> &'static str {
    match state {
        ToolState::Running => "running",
        ToolState::Done => "done",
        ToolState::Failed => "failed",
        ToolState::Denied => "denied",
        ToolState::Cancelled => "idle",
        ToolState::Orphaned => "lost",
    }
}

/// Address of the sub-agent's session that this call started.
fn call_child(card: &Card) -> Option<String> {
    let child = card.options.children.get(card.draft().call_id.as_deref()?)?;
    Some(format!("/s/{child}"))
}

/// What the tool was given, unless the head says all of it.
fn input(call: &tool_call::ToolCall, look: &Look) -> Option<AnyView> {
    if call.input.is_empty() || look.says_all {
        return None;
    }
    let text = input_text(&call.input);
    Some(match text {
        Some(text) => view! {
            <pre class="input" tabindex="0">
                {text}
            </pre>
        }
        .into_any(),
        None => json_tree::tree(&Value::Object(call.input.clone())).into_view().into_any(),
    })
}

/// Flat input as lines `key: value`, a command as a shell shows it. None for nested input.
fn input_text(input: &Map<String, Value>) -> Option<String> {
    const MAX_CHARS: usize = 4_000;
    let mut text = String::new();
    for (key, value) in input {
        if !text.is_empty() {
            text.push('\n');
        }
        match value {
            Value::String(command) if key == "command" || key == "cmd" => {
                text.push_str("$ ");
                text.push_str(&model::text::clip(command, MAX_CHARS));
            }
            Value::String(words) => {
                text.push_str(key);
                text.push_str(if words.contains('\n') { ":\n" } else { ": " });
                text.push_str(&model::text::clip(words, MAX_CHARS));
            }
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => return None,
            Value::Object(map) if !map.is_empty() => return None,
            other => {
                text.push_str(key);
                text.push_str(": ");
                text.push_str(&model::text::clip(&other.to_string(), MAX_CHARS));
            }
        }
    }
    Some(text)
}

fn piece(piece: Piece) -> AnyView {
    match piece {
        Piece::Hidden(lines) => {
            let label = format!("Show {lines} hidden lines");
            view! { <super::parts::ShowAll label /> }.into_any()
        }
        Piece::Terminal(html) => view! {
            <pre class="term" tabindex="0">
                {html.into_view()}
            </pre>
        }
        .into_any(),
        Piece::Prose(html) => view! { <div class="body prose">{html.into_view()}</div> }.into_any(),
        Piece::Data(html) => html.into_view().into_any(),
        Piece::Empty => view! { <p class="line note-line">"No output"</p> }.into_any(),
    }
}

/// Where the output went on, and what still runs.
fn notes(call: &tool_call::ToolCall, news: Option<String>) -> Option<AnyView> {
    let mut notes = Vec::new();
    if let Some(path) = call.other.get("persisted_path").and_then(Value::as_str) {
        let size = call.other.get("persisted_size").and_then(Value::as_u64);
        let size = size.map_or(String::new(), |bytes| format!(" ({})", crate::figures::bytes(bytes)));
        notes.push(format!("Full output{size} was saved to {path}"));
    }
    if call.background() {
        notes.push("Runs in the background".to_owned());
    }
    notes.extend(news);
    let lines: Vec<_> = notes.into_iter().map(|note| view! { <p class="line note-line">{note}</p> }).collect();
    (!lines.is_empty()).then(|| lines.into_any())
}

fn progress(news: &Value) -> Option<String> {
    let text = match news {
        Value::String(text) => text.as_str(),
        Value::Object(map) => {
            ["statusMessage", "message", "text", "type"].iter().find_map(|key| map.get(*key)?.as_str())?
        }
        _ => return None,
    };
    Some(one_line(text, 200)).filter(|line| !line.is_empty())
}
