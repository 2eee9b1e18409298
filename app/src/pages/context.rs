//! The context page: the contents of a model's context when it wrote a reply, by part, and the difference to the
//! previous request.
//!
//! All data comes from the agent's records, not from prompts that Verbatim builds (`context` of a message).

use crate::clock::moment;
use crate::figures;
use crate::icon::Glyph;
use crate::names::{cache_miss, model_name, title};
use crate::part::{Part, part};
use crate::request_figures;
use crate::shared::page_action::PageAction;
use crate::shared::{context_href, message_href, session_href};
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, fold_mark, icon, small_icon};
use crate::visible;
use api::Problem;
use api::Route as _;
use api::context::SessionContext;
use api::contract::GetContext;
use api::cost::ModelRequest;
use api::messages::Entry;
use api::sessions::SessionDetail;
use leptos::prelude::*;
use model::model_context::{
    CacheUse, ContextBlock, ContextBlockKind, ContextChange, ContextPart, ContextRole, ContextVerdict, ModelContext,
    UnrecordedPart,
};
use model::{Body, Role};
use serde_json::Value;

pub struct ContextPage {
    pub detail: SessionDetail,
    /// The `seq` or the id that was asked for.
    pub at: Option<String>,
    /// Without the contents of its blocks.
    pub context: Result<SessionContext, Problem>,
    /// The request, where it is counted.
    pub request: Option<ModelRequest>,
    /// The first message of the answer to the next request.
    pub next: Option<i64>,
    /// The model's reply, as the transcript shows it.
    pub reply: Vec<Entry>,
    pub shell: ShellData,
}

/// Blocks that a list begins with; the others are in the raw JSON.
const BLOCKS: usize = 300;

/// The whole page.
pub fn page(data: &ContextPage) -> String {
    let session = &data.detail.session;
    shell::page(&data.shell, || Frame {
        title: "What the model saw",
        place: NavItem::Session,
        skip: ("#context", "Skip to the context"),
        session: Some(session.id.as_str().to_owned()),
        rail: Rail::Recent { open: Some(session.id.as_str()) },
        content: content(data),
        layout: Layout::Main,
    })
}

fn content(data: &ContextPage) -> Part {
    let session = &data.detail.session;
    let body = match &data.context {
        Ok(of) => whole(data, of),
        Err(problem) => {
            let hint = problem.hint.clone().map(|hint| part! { <p>{hint}</p> });
            part! { <div class="callout" data-state="failed" role="alert">{icon(Glyph::FAIL)}<div><b>{visible::line(&problem.title)}</b>{hint}</div></div> }
        }
    };
    part! {
        <main class="main" id="main">
            <header class="bar">
                <a class="btn quiet icon back" href=back(data) title="To the transcript">{icon(Glyph::CHEV)}<span class="sr">"To the transcript"</span></a>
                <div class="bar-title"><h1>"What the model saw"</h1><p class="meta"><span class="cut" dir="auto">{title(&session.title)}</span></p></div>
                {steps(data)}
            </header>
            <div class="scroll" tabindex="-1"><div class="page context" id="context" tabindex="-1">{body}</div></div>
        </main>
    }
}

/// The transcript, at the reply.
fn back(data: &ContextPage) -> String {
    let session = data.detail.session.id.as_str();
    reply_seq(data).map_or_else(|| session_href(session), |seq| message_href(session, seq))
}

fn reply_seq(data: &ContextPage) -> Option<i64> {
    data.context.as_ref().ok()?.context.reply.seq
}

/// Links to the requests before and after.
fn steps(data: &ContextPage) -> Part {
    let change = data.context.as_ref().ok().and_then(|of| of.context.change.as_ref());
    let step = |seq: Option<i64>, words: &'static str, glyph: Glyph| {
        seq.map(|seq| {
            part! { <a class="btn quiet tiny" href=href(data, Some(seq))>{small_icon(glyph)}<span class="sr-narrow">{words}</span></a> }
        })
    };
    part! {
        <span class="tools">
            {step(change.and_then(|change| change.previous.seq), "Request before", Glyph::UP)}
            {step(data.next, "Next request", Glyph::DN)}
        </span>
    }
}

fn href(data: &ContextPage, seq: Option<i64>) -> String {
    let session = data.detail.session.id.as_str();
    seq.map_or_else(|| format!("{}/context", session_href(session)), |seq| context_href(session, seq))
}

fn whole(data: &ContextPage, of: &SessionContext) -> Part {
    let context = &of.context;
    part! {
        {summary(data, context)}
        {reason(data, context)}
        {composition(context)}
        {context.change.as_ref().and_then(|change| change.cache.as_ref()).map(cache)}
        {context.change.as_ref().map(|change| changed(data, context, change))}
        {settings(context)}
        {parts(data, context)}
    }
}

/// Which request, how far the context can be trusted, and ways to take it along.
fn summary(data: &ContextPage, context: &ModelContext) -> Part {
    let (word, state, why) = match context.verdict {
        ContextVerdict::Verified => ("Verified exact", "done", "The request is recorded, and its digest matches."),
        ContextVerdict::Recorded => {
            ("Exact, except for unrecorded parts", "idle", "The recorded parts are exactly as they were sent.")
        }
        ContextVerdict::Approximate => ("Approximate", "warm", "Some parts aren't known exactly."),
    };
    let glyph = if context.verdict == ContextVerdict::Verified { Glyph::CHECK } else { Glyph::HALF };
    let reasons: Vec<Part> = context.reasons.iter().map(|reason| part! { <li>{reason.clone()}</li> }).collect();
    let missing: Vec<&str> = context.unrecorded.iter().map(|part| unrecorded(*part)).collect();
    let missing = (!missing.is_empty()).then(|| part! { <li>{format!("Not recorded: {}", missing.join(", "))}</li> });
    let figures = data.request.as_ref().map(|request| {
        let figures: Vec<Part> = request_figures::of(request).into_iter().map(|of| part! { <span class="num">{of}</span> }).collect();
        part! { <p class="meta"><b>{format!("Request {}", request.number)}</b>{figures}{moment(&data.shell.clock, request.ended_at, "num")}</p> }
    });
    let model =
        context.reply.model.as_deref().map(|model| part! { <span title=model.to_owned()>{model_name(model)}</span> });
    let address = GetContext.path([data.detail.session.id.as_str()]);
    let at = reply_seq(data).map(|seq| seq.to_string()).or_else(|| data.at.clone());
    let address = at.map_or_else(|| address.clone(), |at| format!("{address}?at={}", api::endpoint::segment(&at)));
    let curl = format!("curl \"$VERBATIM_URL{address}\" -H \"Authorization: Bearer $VERBATIM_KEY\"");
    part! {
        <section class="verdict" aria-label="Request">
            {figures}
            <p><span class="chip" data-state=state>{small_icon(glyph)}{word}</span>" "{model}</p>
            <ul class="cap"><li>{why}</li>{reasons}{missing}</ul>
            <p class="actions">
                <a class="btn tiny" href=back(data)>{small_icon(Glyph::COMMENT)}"Show the reply"</a>
                <a class="btn tiny" href=address target="_blank">{small_icon(Glyph::BRACES)}"Raw JSON"</a>
                <button type="button" class="btn tiny" data-action=PageAction::Copy.name() data-text=curl>{small_icon(Glyph::COPY)}<span>"Copy as curl"</span></button>
            </p>
        </section>
    }
}

/// The last prompt and the reply: a reader comes here to learn why the model replied as it did.
fn reason(data: &ContextPage, context: &ModelContext) -> Option<Part> {
    let said = context.messages.iter().filter(|message| message.role == ContextRole::User).flat_map(|of| &of.blocks);
    let is_text = |block: &&ContextBlock| block.part == ContextPart::History && block.kind == ContextBlockKind::Text;
    let prompt = said.rev().find(is_text);
    let prompt = prompt.map(|block| line(data, "Prompt", &block.preview, block.seq));
    let name = |entry: &Entry| match (entry.body(), entry.message.draft.role) {
        (_, Role::Model) => "Reasoning",
        (Body::Text(_), _) => "Reply",
        _ => "Call",
    };
    let reply = data.reply.iter().map(|entry| line(data, name(entry), &entry.summary, Some(entry.message.seq)));
    let lines: Vec<Part> = prompt.into_iter().chain(reply).collect();
    (!lines.is_empty()).then(|| {
        part! {
            <section class="figures" aria-labelledby="reply-heading"><h2 id="reply-heading">"Prompt and reply"</h2>
                <ul class="context-reply" role="list">{lines}</ul></section>
        }
    })
}

fn line(data: &ContextPage, name: &'static str, words: &str, seq: Option<i64>) -> Part {
    part! { <li><b>{name}</b><span dir="auto">{visible::line(words)}</span>{message_link(data, seq)}</li> }
}

/// A link to the message that shows a block, or the words that there is none.
fn message_link(data: &ContextPage, seq: Option<i64>) -> Part {
    match seq {
        Some(seq) => {
            part! { <a class="link num" href=message_href(data.detail.session.id.as_str(), seq)>{format!("Message {seq}")}</a> }
        }
        None => part! { <span class="mut">"No message"</span> },
    }
}

fn unrecorded(part: UnrecordedPart) -> &'static str {
    match part {
        UnrecordedPart::SystemPrompt => "the system prompt",
        UnrecordedPart::ToolDefinitions => "the definitions of tools",
        UnrecordedPart::Memory => "instructions and what is said of the environment",
        UnrecordedPart::Reminders => "what the program added for this request alone",
        UnrecordedPart::Settings => "settings of the request",
    }
}

fn name_of(part: ContextPart) -> &'static str {
    match part {
        ContextPart::System => "System prompt",
        ContextPart::Tools => "Tool definitions",
        ContextPart::Files => "Files",
        ContextPart::History => "History",
        ContextPart::Results => "Calls and results",
        ContextPart::Thinking => "Thinking",
        ContextPart::Injected => "Added by the program",
        ContextPart::Summary => "Summary",
        ContextPart::Unrecorded => "Not recorded",
    }
}

/// The bar of parts, with its legend.
fn composition(context: &ModelContext) -> Option<Part> {
    let tokens = &context.tokens;
    let all: i64 = tokens.parts.iter().map(|part| part.tokens).sum();
    if all <= 0 {
        return None;
    }
    let share = |n: i64| n as f64 * 100.0 / all as f64;
    let bar: Vec<Part> = tokens
        .parts
        .iter()
        .map(|part| part! { <span data-part=part.part.as_str() style=format!("--v:{:.2}", share(part.tokens))></span> })
        .collect();
    let rows: Vec<Part> = tokens
        .parts
        .iter()
        .map(|part| {
            part! { <li data-part=part.part.as_str()><i aria-hidden="true"></i><span>{name_of(part.part)}</span>
            <span class="num">{figures::tokens(part.tokens)}</span><span class="num mut">{format!("{:.0} %", share(part.tokens))}</span></li> }
        })
        .collect();
    let reported = match tokens.reported {
        Some(reported) => format!(
            "{} tokens reported, {} of them explained by the records. Sizes of parts are estimates.",
            figures::count(reported),
            figures::count(tokens.explained.min(reported))
        ),
        None => "The provider's token count isn't recorded. Sizes of parts are estimates.".to_owned(),
    };
    Some(part! {
        <section class="figures" aria-labelledby="composition-heading"><h2 id="composition-heading">"Composition"</h2>
            <div class="comp" aria-hidden="true">{bar}</div>
            <ul class="parts" role="list">{rows}</ul>
            <p class="cap">{reported}</p></section>
    })
}

/// How much of the provider's prompt cache was read, and why not all that was there.
fn cache(cache: &CacheUse) -> Part {
    let why = cache.cause.map(|cause| {
        let words = cache_miss(cause);
        let cost = cache.cost_usd.map(|more| format!(", which cost {} more", figures::dollars(more)));
        let details = cache.details.clone().map(|details| part! { <p class="cap" dir="auto">{visible::line(&details)}</p> });
        part! {
            <p><span class="chip" data-state="warm">{small_icon(Glyph::HALF)}"Cache miss"</span>
                {format!(" {} tokens were read anew{}: {words}.", figures::tokens(cache.missed), cost.unwrap_or_default())}</p>{details}
        }
    });
    let read = format!(
        "{} of the {} tokens that the request before left in the provider's cache were read from it.",
        figures::tokens(cache.read.min(cache.available)),
        figures::tokens(cache.available)
    );
    part! {
        <section class="figures" aria-labelledby="cache-heading"><h2 id="cache-heading">"Prompt cache"</h2>{why}<p class="cap">{read}</p></section>
    }
}

/// The settings of the request, as the API names them.
fn settings(context: &ModelContext) -> Option<Part> {
    let row = |(name, value): (&String, &Value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        part! { <dt><code>{visible::line(name)}</code></dt><dd><code>{visible::line(&value)}</code></dd> }
    };
    let rows: Vec<Part> = context.settings.iter().map(row).collect();
    (!rows.is_empty()).then(|| {
        part! {
            <section class="figures" aria-labelledby="settings-heading"><h2 id="settings-heading">"Settings of the request"</h2>
                <dl class="kv">{rows}</dl></section>
        }
    })
}

/// Draws the added, removed and compacted blocks since the previous request.
fn changed(data: &ContextPage, context: &ModelContext, change: &ContextChange) -> Part {
    let blocks = |n: u64| figures::counted(i64::try_from(n).unwrap_or(i64::MAX), "block");
    let before = match change.previous.seq {
        Some(seq) => part! { <a class="link" href=href(data, Some(seq))>"the request before"</a> },
        None => part! { <span>"the request before"</span> },
    };
    let (compacted, dropped): (Vec<_>, Vec<_>) = change.dropped.iter().partition(|block| block.compacted);
    let added: Vec<&ContextBlock> =
        context.messages.iter().flat_map(|message| &message.blocks).filter(|block| block.added).collect();
    let lists = [
        group(data, "Added", &added, true),
        group(data, "Compacted", &compacted.iter().map(|of| &of.block).collect::<Vec<_>>(), false),
        group(data, "Dropped", &dropped.iter().map(|of| &of.block).collect::<Vec<_>>(), false),
    ];
    let lists: Vec<Part> = lists.into_iter().flatten().collect();
    part! {
        <section class="figures" aria-labelledby="change-heading"><h2 id="change-heading">"Difference"</h2>
            <p>"To "{before}{format!(": {} kept, {} added, {} dropped.", blocks(change.kept), blocks(change.added), blocks(change.dropped.len() as u64))}</p>
            {lists}</section>
    }
}

/// All blocks of the request in its order, by message.
fn parts(data: &ContextPage, context: &ModelContext) -> Part {
    let head = [("System prompt", &context.system), ("Tool definitions", &context.tools)];
    let head: Vec<Part> = head
        .into_iter()
        .filter_map(|(name, blocks)| group(data, name, &blocks.iter().collect::<Vec<_>>(), false))
        .collect();
    let messages: Vec<&ContextBlock> = context.messages.iter().flat_map(|message| &message.blocks).collect();
    let count = figures::counted(context.messages.len() as i64, "message");
    part! {
        <section class="figures" aria-labelledby="parts-heading"><h2 id="parts-heading">"Parts in the order of the request"</h2>
            {head}
            {group(data, "Messages", &messages, false)}
            <p class="cap">{count}" of the API"</p>{fields(context)}</section>
    }
}

/// Draws further fields of the request's messages, with the number of messages that have each.
fn fields(context: &ModelContext) -> Option<Part> {
    let mut found: Vec<(String, i64)> = Vec::new();
    for (name, value) in context.messages.iter().flat_map(|message| &message.fields) {
        let words = format!("{name}: {value}");
        match found.iter_mut().find(|(known, _)| *known == words) {
            Some((_, count)) => *count += 1,
            None => found.push((words, 1)),
        }
    }
    let rows: Vec<Part> = found
        .into_iter()
        .map(|(words, count)| part! { <li><code>{visible::line(&words)}</code>{format!(", in {}", figures::counted(count, "message"))}</li> })
        .collect();
    (!rows.is_empty()).then(|| part! { <p class="cap">"Other fields of messages"</p><ul class="cap">{rows}</ul> })
}

/// Blocks under a name, unfolded or not.
fn group(data: &ContextPage, name: &'static str, blocks: &[&ContextBlock], open: bool) -> Option<Part> {
    let tokens = blocks.iter().map(|block| block.tokens).sum();
    (!blocks.is_empty()).then(|| {
        let words = format!("{}, {} tokens", figures::counted(blocks.len() as i64, "block"), figures::tokens(tokens));
        part! {
            <details class="context-part" open=open><summary>{fold_mark()}<b>{name}</b>" "<span class="cap num">{words}</span></summary>{rows(data, blocks)}</details>
        }
    })
}

fn rows(data: &ContextPage, blocks: &[&ContextBlock]) -> Part {
    // The newest ones say most about a reply.
    let left = blocks.len().saturating_sub(BLOCKS);
    let shown: Vec<Part> = blocks.iter().skip(left).map(|block| row(data, block)).collect();
    let left = (left > 0).then(|| {
        part! { <p class="cap">{format!("{} before these are in the raw JSON", figures::counted(left as i64, "block"))}</p> }
    });
    part! { {left}<ol class="context-blocks" role="list">{shown}</ol> }
}

fn row(data: &ContextPage, block: &ContextBlock) -> Part {
    let name = block.name.clone().map(|name| part! { <span class="mono">{visible::line(&name)}</span> });
    let cached = block.cache_control.as_ref().map(|mark| {
        let life = mark.get("ttl").and_then(Value::as_str).unwrap_or("5m");
        part! { <span class="mut" title="The provider is asked to cache the request up to here">{format!("cached to here, {}", visible::line(life))}</span> }
    });
    let inexact = block.inexact.then(|| part! { <span class="mut">"wording not recorded"</span> });
    part! {
        <li data-part=block.part.as_str()><i aria-hidden="true"></i>
            <span class="what">{name_of(block.part)}" "{name}" "{inexact}{cached}</span>
            <span class="cut preview" dir="auto">{visible::line(&block.preview)}</span>
            <span class="num">{figures::tokens(block.tokens)}</span>{message_link(data, block.seq)}</li>
    }
}
