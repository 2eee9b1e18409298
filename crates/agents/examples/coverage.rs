//! Reads every transcript under a folder, whosever it is, and says what became of each byte:
//! `cargo run -p agents --example coverage -- FOLDER`. Fails if a byte is in no message or a payload doesn't validate.
#![expect(clippy::print_stdout, reason = "a command's output")]
#![expect(clippy::disallowed_methods, reason = "measures")]

use agents::{Change, Recognised};
use model::Body;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Default)]
struct Totals {
    files: usize,
    bytes: u64,
    lines: usize,
    changes: usize,
    uncovered: u64,
    took: Duration,
    agents: BTreeMap<String, usize>,
    notes: BTreeMap<String, usize>,
    kinds: BTreeMap<String, usize>,
    states: BTreeMap<String, usize>,
    outcomes: BTreeMap<String, usize>,
    invalid: Vec<String>,
    sessions: usize,
    children: usize,
    linked: usize,
    payload_bytes: usize,
}

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files)?;
    files.sort();
    let mut totals = Totals::default();
    for file in &files {
        read(file, &mut totals)?;
    }
    let mb = totals.bytes as f64 / 1e6;
    println!("{} files, {mb:.1} MB, {} lines, {} changes", totals.files, totals.lines, totals.changes);
    println!("{:.2} s, {:.1} MB/s", totals.took.as_secs_f64(), mb / totals.took.as_secs_f64().max(1e-9));
    println!(
        "{} sessions, {} of sub-agents, {} of these with their call",
        totals.sessions, totals.children, totals.linked
    );
    println!("{:.1} MB of contents and metadata", totals.payload_bytes as f64 / 1e6);
    println!("bytes in no message: {}", totals.uncovered);
    for (name, table) in [
        ("files by agent", &totals.agents),
        ("notes", &totals.notes),
        ("messages", &totals.kinds),
        ("states", &totals.states),
        ("run outcomes", &totals.outcomes),
    ] {
        println!("{name}:");
        for (what, count) in table {
            println!("  {count:>7} {what}");
        }
    }
    println!("payloads that don't validate: {}", totals.invalid.len());
    for problem in totals.invalid.iter().take(20) {
        println!("  {problem}");
    }
    if totals.uncovered > 0 || !totals.invalid.is_empty() {
        std::process::exit(1);
    }
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
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

fn read(path: &Path, totals: &mut Totals) -> std::io::Result<()> {
    let bytes = std::fs::read(path)?;
    let Recognised::Agent(agent) = agents::recognise(&bytes[..bytes.len().min(256 << 10)]) else { return Ok(()) };
    let Some(reading) = agent.reading else { return Ok(()) };
    *totals.agents.entry(agent.name.to_owned()).or_default() += 1;
    let beside = reading.sidecar.and_then(|sidecar| std::fs::read(path.with_extension(sidecar)).ok());
    let mut changes = Vec::new();
    let start = Instant::now();
    let mut reader = (reading.open)(&path.to_string_lossy(), beside.as_deref());
    for block in bytes.chunks(1 << 20) {
        reader.push(block, &mut changes);
    }
    reader.finish(&mut changes);
    totals.took += start.elapsed();
    totals.files += 1;
    totals.bytes += bytes.len() as u64;
    totals.lines += bytes.split_inclusive(|byte| *byte == b'\n').count();
    totals.changes += changes.len();

    let mut covered = vec![false; bytes.len()];
    let mut last = HashMap::new();
    let (mut sessions, mut runs) = (HashMap::new(), HashMap::new());
    for change in &changes {
        match change {
            Change::Message { session, draft, spans, .. } => {
                for span in spans {
                    covered[span.offset as usize..span.end() as usize].fill(true);
                }
                last.insert((session, draft.id.as_str()), draft);
            }
            Change::Note { text, .. } => *totals.notes.entry(text.clone()).or_default() += 1,
            Change::Session { key, facts } => {
                sessions.insert(key, facts);
            }
            Change::Run { session, run, .. } => {
                runs.insert((session, run.id.as_str()), run);
            }
            Change::Rewound { left, .. } => {
                *totals
                    .kinds
                    .entry(if *left { "(turn left behind)" } else { "(turn taken up again)" }.to_owned())
                    .or_default() += 1;
            }
            Change::Blob { .. } => *totals.kinds.entry("(blob)".to_owned()).or_default() += 1,
        }
    }
    totals.uncovered += covered.iter().filter(|covered| !**covered).count() as u64;
    totals.sessions += sessions.len();
    totals.children += sessions.values().filter(|facts| facts.parent.is_some()).count();
    totals.linked += sessions.values().filter(|facts| facts.call_id.is_some()).count();
    for run in runs.values() {
        *totals.outcomes.entry(run.outcome.to_string()).or_default() += 1;
    }
    for draft in last.values() {
        let kind = format!("{} {} {}", draft.role, draft.message_type(), draft.sender);
        *totals.kinds.entry(kind).or_default() += 1;
        let body = Body::of(draft);
        if let Body::Invalid { problem, .. } = &body {
            totals.invalid.push(format!("{} {}: {problem:?}", draft.id, draft.message_type()));
        }
        if let Body::ToolCall(call) = &body {
            *totals.states.entry(call.state().to_string()).or_default() += 1;
        }
        let metadata = draft.metadata.as_ref().map_or(0, |metadata| serde_json::json!(metadata).to_string().len());
        totals.payload_bytes += draft.content.len() + metadata;
    }
    Ok(())
}
