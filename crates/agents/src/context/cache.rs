//! Why a request read less of the provider's prompt cache than the one before left there.
//!
//! The cache holds beginnings of requests, in the order tools, system prompt, messages: what changes anywhere makes the rest
//! be read anew.

use model::model_context::{
    CacheMissCause as Cause, CacheUse, ContextBlock, ContextMessage, ContextReply, ContextRole,
};
use serde_json::{Map, Value};

/// Settings on which cached messages depend.
const SETTINGS: [&str; 4] = ["thinking", "tool_choice", "output_config", "context_management"];
/// Seconds that an entry lives unless its mark says `1h`, and if it does.
const SHORT: i64 = 5 * 60;
const LONG: i64 = 60 * 60;

/// A request as the cache sees it.
pub(super) struct Sent<'r> {
    pub reply: &'r ContextReply,
    pub system: &'r [ContextBlock],
    pub tools: &'r [ContextBlock],
    pub settings: &'r Map<String, Value>,
    pub messages: &'r [ContextMessage],
}

/// None if the request before left nothing in the cache.
pub(super) fn compare(before: &Sent<'_>, now: &Sent<'_>) -> Option<CacheUse> {
    let (left, used) = (before.reply.usage?, now.reply.usage?);
    let (available, read) = (left.cache_read.saturating_add(left.cache_write), used.cache_read);
    if available <= 0 {
        return None;
    }
    let missed = available.saturating_sub(read).max(0);
    let (cause, details) = (missed > 0).then(|| cause(before, now)).unzip();
    Some(CacheUse { available, read, missed, cause, details: details.flatten(), cost_usd: None })
}

fn cause(before: &Sent<'_>, now: &Sent<'_>) -> (Cause, Option<String>) {
    let models = before.reply.model.as_deref().zip(now.reply.model.as_deref());
    if let Some((old, new)) = models.filter(|(old, new)| old != new) {
        return (Cause::Model, Some(format!("{new} answered, and {old} before: each model has a cache of its own")));
    }
    if let Some(details) = tools(before.tools, now.tools) {
        return (Cause::Tools, Some(details));
    }
    if let Some(at) = first_difference(&contents(before.system), &contents(now.system)) {
        return (Cause::System, Some(format!("Block {} of the system prompt changed", at + 1)));
    }
    if let Some(details) = settings(before.settings, now.settings) {
        return (Cause::Settings, Some(details));
    }
    if let Some(details) = messages(before, now) {
        return (Cause::Messages, Some(details));
    }
    if let Some(details) = expired(before, now) {
        return (Cause::Expired, Some(details));
    }
    (Cause::Unknown, None)
}

fn contents(blocks: &[ContextBlock]) -> Vec<&Option<Value>> {
    blocks.iter().map(|block| &block.content).collect()
}

/// The first place where the second list doesn't go on as the first one; None if it does to its end. A list that isn't
/// recorded differs from none.
fn first_difference<T: PartialEq>(old: &[T], new: &[T]) -> Option<usize> {
    if old.is_empty() || new.is_empty() {
        return None;
    }
    let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    (same < old.len() || new.len() > old.len()).then_some(same)
}

/// Which definitions of tools came, went or changed.
fn tools(old: &[ContextBlock], new: &[ContextBlock]) -> Option<String> {
    first_difference(&contents(old), &contents(new))?;
    let named = |blocks: &[ContextBlock], is_it: &dyn Fn(&ContextBlock) -> bool| {
        let names = blocks.iter().filter(|block| is_it(block)).filter_map(|block| block.name.clone());
        names.collect::<Vec<_>>().join(", ")
    };
    let has = |blocks: &[ContextBlock], block: &ContextBlock| blocks.iter().any(|other| other.name == block.name);
    let changed =
        |block: &ContextBlock| old.iter().any(|other| other.name == block.name && other.content != block.content);
    let all = [
        ("added", named(new, &|block| !has(old, block))),
        ("removed", named(old, &|block| !has(new, block))),
        ("changed", named(new, &changed)),
    ];
    let all: Vec<String> = all
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what}: {names}"))
        .collect();
    Some(if all.is_empty() { "The order of the tools changed".to_owned() } else { format!("Tools {}", all.join("; ")) })
}

fn settings(old: &Map<String, Value>, new: &Map<String, Value>) -> Option<String> {
    if old.is_empty() || new.is_empty() {
        return None;
    }
    let words = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
    let changed = SETTINGS.into_iter().filter(|name| old.get(*name) != new.get(*name));
    let changed: Vec<String> =
        changed.map(|name| format!("`{name}` was {} and is {}", words(old.get(name)), words(new.get(name)))).collect();
    (!changed.is_empty()).then(|| changed.join("; "))
}

fn messages(before: &Sent<'_>, now: &Sent<'_>) -> Option<String> {
    let all = |request: &Sent<'_>| -> Vec<(ContextRole, Option<Value>)> {
        let of = |role, blocks: &[ContextBlock]| {
            blocks.iter().map(|block| (role, block.content.clone())).collect::<Vec<_>>()
        };
        request.messages.iter().flat_map(|message| of(message.role, &message.blocks)).collect()
    };
    let (old, new) = (all(before), all(now));
    let at = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    if at == old.len() {
        return None;
    }
    let mut blocks = before.messages.iter().flat_map(|message| &message.blocks);
    let preview = blocks.nth(at).map_or("", |block| block.preview.as_str());
    Some(format!("From block {} of the messages on, they aren't those that were sent before: “{preview}”", at + 1))
}

fn expired(before: &Sent<'_>, now: &Sent<'_>) -> Option<String> {
    let seconds = (now.reply.at?.0 - before.reply.at?.0) / 1_000_000;
    let blocks = before.messages.iter().flat_map(|message| &message.blocks).chain(before.system).chain(before.tools);
    let is_long = |block: &ContextBlock| {
        block.cache_control.as_ref().is_some_and(|mark| mark.get("ttl").and_then(Value::as_str) == Some("1h"))
    };
    let life = if blocks.into_iter().any(is_long) { LONG } else { SHORT };
    let minutes = seconds / 60;
    (seconds > life)
        .then(|| format!("It came {minutes} minutes after the request before, and entries live {} minutes", life / 60))
}
