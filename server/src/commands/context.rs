//! `verbatim context`: what a model's context held when it wrote a reply.

use super::text::one_line;
use super::{print, print_encoded, print_json};
use crate::cli::Context;
use crate::door::Door;
use anyhow::Result;
use api::context::{ContextQuery, SessionContext};
use api::sessions::SessionPath;
use app::figures::{counted, dollars};
use app::names::cache_miss;
use model::model_context::format::{ContextFormat, body, text};
use model::model_context::{CacheUse, ContextBlock, ContextRole, ContextVerdict};
use model::terminal::plain;
use std::fmt::Write as _;

pub async fn run(args: Context) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let path = SessionPath { session: args.session.clone() };
    let with_contents = args.format.is_some() || (args.json && !args.diff);
    let query = ContextQuery { at: args.at.clone(), contents: Some(u8::from(with_contents)) };
    let found = door.client.get_context(path, query).await;
    door.close().await;
    let found = found?;
    match args.format {
        Some(ContextFormat::Text) => print(&plain(&text(&found.context))),
        Some(format) => match body(&found.context, format) {
            Some(body) => print_encoded(&format!("{}\n", serde_json::to_string_pretty(&body)?)),
            None => Ok(()),
        },
        None if args.json && args.diff => print_json(&found.context.change),
        None if args.json => print_json(&found),
        None if args.diff => print(&difference(&found)),
        None => print(&overview(&found)),
    }
}

/// Returns an overview of the context, one block per line.
fn overview(found: &SessionContext) -> String {
    let context = &found.context;
    let mut out = head(found);
    for part in &context.tokens.parts {
        let _ = writeln!(out, "{:>9}  {}", part.tokens, part.part.label());
    }
    out.push('\n');
    for block in &context.system {
        line(&mut out, ' ', ContextRole::System, block);
    }
    if !context.tools.is_empty() {
        let tokens: i64 = context.tools.iter().map(|tool| tool.tokens).sum();
        let _ = writeln!(out, "  {:<9} {tokens:>8} {:>6}  {} definitions of tools", "system", "", context.tools.len());
    }
    for message in &context.messages {
        for block in &message.blocks {
            line(&mut out, if block.added { '+' } else { ' ' }, message.role, block);
        }
    }
    if !context.settings.is_empty() {
        let settings: Vec<String> = context.settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let _ = writeln!(out, "\nSettings: {}", one_line(&settings.join(", ")));
    }
    if !context.unrecorded.is_empty() {
        let parts: Vec<String> = context.unrecorded.iter().map(|part| part.label()).collect();
        let _ = writeln!(out, "\nNot recorded: {}", parts.join(", "));
    }
    out
}

fn head(found: &SessionContext) -> String {
    let context = &found.context;
    let verdict = match context.verdict {
        ContextVerdict::Verified => "Verified: this is the exact request",
        ContextVerdict::Recorded => "Exact, except for unrecorded parts",
        ContextVerdict::Approximate => "Approximate",
    };
    let mut out = format!("{verdict}\n");
    for reason in &context.reasons {
        let _ = writeln!(out, "  {}", one_line(reason));
    }
    let seq = context.reply.seq.map(|seq| format!(" as message {seq}")).unwrap_or_default();
    let model = context.reply.model.as_deref().map_or_else(|| "A model".to_owned(), one_line);
    let _ = match context.tokens.reported {
        Some(reported) => writeln!(
            out,
            "{model} answered{seq}. It read {reported} tokens; about {} are explained",
            context.tokens.explained
        ),
        None => writeln!(out, "{model} answered{seq}. About {} tokens are explained", context.tokens.explained),
    };
    out
}

fn difference(found: &SessionContext) -> String {
    let mut out = head(found);
    let Some(change) = &found.context.change else {
        out.push_str("This is the first request\n");
        return out;
    };
    let seq = change.previous.seq.map(|seq| format!(", message {seq}")).unwrap_or_default();
    let _ = writeln!(
        out,
        "Since the request before{seq}: {} kept, {} added (about {} tokens), {} dropped (about {} tokens)",
        counted(i64::try_from(change.kept).unwrap_or(i64::MAX), "block"),
        change.added,
        change.added_tokens,
        change.dropped.len(),
        change.dropped_tokens
    );
    if let Some(cache) = &change.cache {
        out.push_str(&cache_line(cache));
    }
    for dropped in &change.dropped {
        line(&mut out, if dropped.compacted { '~' } else { '-' }, dropped.role, &dropped.block);
    }
    for message in &found.context.messages {
        for block in message.blocks.iter().filter(|block| block.added) {
            line(&mut out, '+', message.role, block);
        }
    }
    out
}

fn cache_line(cache: &CacheUse) -> String {
    let read = format!("Prompt cache: {} of {} tokens were read", cache.read.min(cache.available), cache.available);
    let Some(cause) = cache.cause else { return format!("{read}\n") };
    let details = cache.details.as_deref().map(|details| format!(". {}", one_line(details))).unwrap_or_default();
    let cost = cache.cost_usd.map(|more| format!(", which cost {} more", dollars(more))).unwrap_or_default();
    format!("{read}; {} were read anew{cost}: {}{details}\n", cache.missed, cache_miss(cause))
}

/// `+ user       120     14  tool result Read: ...`
fn line(out: &mut String, mark: char, role: ContextRole, block: &ContextBlock) {
    let seq = block.seq.map(|seq| seq.to_string()).unwrap_or_default();
    let name = block.name.as_ref().map(|name| format!(" {}", one_line(name))).unwrap_or_default();
    let inexact = if block.inexact { " (wording not recorded)" } else { "" };
    let (role, kind) = (role.as_str(), block.kind.label());
    let (tokens, preview) = (block.tokens, one_line(&block.preview));
    let _ = writeln!(out, "{mark} {role:<9} {tokens:>8} {seq:>6}  {kind}{name}{inexact}: {preview}");
}
