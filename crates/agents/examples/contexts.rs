//! Rebuilds the request of every reply in the transcripts below a folder, checks the rules that hold for requests, and prints the
//! explained share of tokens as a table in Markdown: `cargo run --release -p agents --example contexts -- FOLDER`. The table has
//! names and counts, and no text of a transcript. With `--json` come the contexts themselves instead, one a line. Fails if a rule is broken.
#![expect(clippy::print_stdout, reason = "a command's output")]

use agents::Recognised;
use agents::context::Transcript;
use model::SourceId;
use model::model_context::{
    ContextBlockKind as Kind, ContextDialect, ContextRole as Role, ContextTokens, ContextVerdict, ModelContext,
};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// The counts of the replies of one version of an agent.
#[derive(Default)]
struct Totals {
    replies: usize,
    verdicts: BTreeMap<&'static str, usize>,
    reported: i64,
    explained: i64,
    with_usage: usize,
    /// Estimates above what was reported, but within the tolerance.
    above: usize,
    reasons: BTreeMap<String, usize>,
}

fn main() -> std::io::Result<()> {
    let (options, folders): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let as_json = options.iter().any(|option| option == "--json");
    let folder = folders.first().map_or(".", String::as_str);
    let mut files = Vec::new();
    collect(Path::new(folder), &mut files)?;
    files.sort();
    let (mut totals, mut broken) =
        (BTreeMap::<(String, String), Totals>::new(), BTreeMap::<&'static str, Vec<String>>::new());
    for file in &files {
        let bytes = std::fs::read(file)?;
        let Recognised::Agent(agent) = agents::recognise(&bytes[..bytes.len().min(256 << 10)], &bytes) else {
            continue;
        };
        let Some(mut transcript) = Transcript::of(agent.name) else { continue };
        let Ok(source) = SourceId::parse("source") else { continue };
        bytes.chunks(1 << 20).for_each(|piece| transcript.push(&source, 0, piece));
        transcript.finish();
        for reply in transcript.replies() {
            let Some(context) = transcript.context(Some(&reply), None) else {
                broken.entry("there is no context").or_default().push(format!("{} {}", file.display(), reply.offset));
                continue;
            };
            if as_json {
                println!("{}", serde_json::to_string(&context)?);
                continue;
            }
            for rule in rules(&context) {
                broken.entry(rule).or_default().push(format!("{} {}", file.display(), reply.offset));
            }
            let version = context.reply.agent_version.clone().unwrap_or_default();
            count(totals.entry((agent.title.to_owned(), version)).or_default(), &context);
        }
    }
    if as_json {
        return Ok(());
    }
    print(&totals, options.iter().any(|option| option == "--details"));
    for (rule, replies) in &broken {
        println!(
            "\nBroken: {rule}, {} times, first in {}",
            replies.len(),
            replies.iter().take(3).cloned().collect::<Vec<_>>().join(", ")
        );
    }
    if !broken.is_empty() {
        std::process::exit(1);
    }
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if folder.is_file() {
        files.push(folder.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The rules that a request breaks.
fn rules(context: &ModelContext) -> Vec<&'static str> {
    let mut broken = Vec::new();
    let (mut calls, mut results, mut seen) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut last = None;
    for message in &context.messages {
        if last == Some(message.role) {
            broken.push("two messages of a role follow each other");
        }
        last = Some(message.role);
        if message.blocks.is_empty() {
            broken.push("a message is empty");
        }
        for block in &message.blocks {
            let id = block.call_id.clone().unwrap_or_default();
            match block.kind {
                Kind::ToolUse if message.role != Role::Assistant => broken.push("a call isn't from the model"),
                Kind::ToolUse if !id.is_empty() && !calls.insert(id.clone()) => broken.push("a call stands twice"),
                Kind::ToolResult if message.role == Role::Assistant => broken.push("a result is from the model"),
                Kind::ToolResult if !id.is_empty() && !calls.contains(&id) => {
                    broken.push("a result is before its call");
                }
                Kind::ToolResult if !id.is_empty() && !results.insert(id.clone()) => {
                    broken.push("a result stands twice");
                }
                Kind::Thinking if message.role != Role::Assistant => broken.push("reasoning isn't from the model"),
                _ => {}
            }
            let place = block.records.first().map(|record| record.offset);
            let content = block.content.as_ref().map(ToString::to_string);
            if place.is_some() && context.dialect != ContextDialect::Responses && !seen.insert((place, content)) {
                broken.push("a block stands twice");
            }
        }
    }
    if context.dialect != ContextDialect::Gemini && calls.iter().any(|id| !results.contains(id)) {
        broken.push("a call has no result");
    }
    if context.dialect == ContextDialect::Anthropic {
        broken.extend(pairs(context));
    }
    let most = |reported: i64| reported + reported * ContextTokens::TOLERANCE_PERCENT / 100;
    if context.tokens.reported.is_some_and(|reported| context.tokens.explained > most(reported)) {
        broken.push("more tokens are explained than were reported");
    }
    broken
}

/// The API wants the results of a message's calls in the next message.
fn pairs(context: &ModelContext) -> Option<&'static str> {
    let ids = |index: usize, kind: Kind| -> HashSet<&String> {
        let blocks = context.messages.get(index).map(|message| &message.blocks);
        blocks
            .into_iter()
            .flatten()
            .filter(|block| block.kind == kind)
            .filter_map(|block| block.call_id.as_ref())
            .collect()
    };
    let fits = |index: usize| ids(index, Kind::ToolUse).iter().all(|id| ids(index + 1, Kind::ToolResult).contains(*id));
    (!(0..context.messages.len()).all(fits)).then_some("a result isn't in the message behind its call")
}

fn count(totals: &mut Totals, context: &ModelContext) {
    totals.replies += 1;
    *totals.verdicts.entry(context.verdict.as_str()).or_default() += 1;
    for reason in &context.reasons {
        *totals.reasons.entry(reason.clone()).or_default() += 1;
    }
    if let Some(reported) = context.tokens.reported {
        totals.with_usage += 1;
        totals.reported += reported;
        totals.explained += context.tokens.explained;
        totals.above += usize::from(context.tokens.explained > reported);
    }
}

/// The numbers of a version: 2.1.12 comes after 2.1.4.
fn numbers(version: &str) -> Vec<u64> {
    version.split('.').filter_map(|part| part.parse().ok()).collect()
}

fn print(totals: &BTreeMap<(String, String), Totals>, details: bool) {
    println!(
        "| Agent | Version | Replies | Verified | Recorded | Approximate | With tokens | Explained | Above reported |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|");
    let mut rows: Vec<_> = totals.iter().collect();
    rows.sort_by_cached_key(|((agent, version), _)| (agent.clone(), numbers(version)));
    for ((agent, version), totals) in rows {
        let version = if version.is_empty() { "not recorded" } else { version };
        let verdict = |verdict: ContextVerdict| totals.verdicts.get(verdict.as_str()).copied().unwrap_or_default();
        let share =
            if totals.reported > 0 { format!("{} %", 100 * totals.explained / totals.reported) } else { String::new() };
        println!(
            "| {agent} | {version} | {} | {} | {} | {} | {} | {share} | {} |",
            totals.replies,
            verdict(ContextVerdict::Verified),
            verdict(ContextVerdict::Recorded),
            verdict(ContextVerdict::Approximate),
            totals.with_usage,
            totals.above
        );
    }
    if details {
        for ((agent, version), totals) in totals {
            for (reason, count) in &totals.reasons {
                println!("{agent} {version}: {count} x {reason}");
            }
        }
    }
}
