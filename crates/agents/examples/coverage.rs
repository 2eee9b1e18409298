//! Reads every transcript under a folder, whosever it is, and prints what became of it, as tables in Markdown:
//! `cargo run -p agents --example coverage -- FOLDER`. The tables have names and counts, and no text of a transcript, so they can be
//! checked in; with `--details` come senders, notes, and speed. Fails if a byte is in no message or a payload doesn't validate.
#![expect(clippy::print_stdout, reason = "a command's output")]
#![expect(clippy::disallowed_methods, reason = "measures")]

use agents::{Change, Recognised};
use model::Body;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

type Counts = BTreeMap<String, usize>;

/// Columns of the table of types; others are counted together.
const TYPES: [&str; 8] = ["TEXT", "TOOL_CALL", "CODE_EDIT", "TODO", "APPROVAL", "FILE", "ERROR", "other"];
const ROLES: [&str; 5] = ["user", "assistant", "model", "tool", "system"];

/// The counts of the files of one agent.
#[derive(Default)]
struct Totals {
    files: usize,
    bytes: u64,
    sessions: usize,
    children: usize,
    with_call: usize,
    notes: Counts,
    types: Counts,
    roles: Counts,
    senders: Counts,
    states: Counts,
    outcomes: Counts,
    uncovered: u64,
    invalid: Vec<String>,
    took: Duration,
}

fn main() -> std::io::Result<()> {
    let (options, folders): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let folder = folders.first().map_or(".", String::as_str);
    let mut files = Vec::new();
    collect(Path::new(folder), &mut files)?;
    files.sort();
    let (mut agents, mut others) = (BTreeMap::<&str, Totals>::new(), Counts::new());
    for file in &files {
        let bytes = std::fs::read(file)?;
        match agents::recognise(&bytes[..bytes.len().min(256 << 10)], &bytes) {
            Recognised::Agent(agent) if agent.reading.is_some() => {
                read(file, &bytes, agent, agents.entry(agent.title).or_default());
            }
            Recognised::Agent(agent) => *others.entry(agent.file.to_owned()).or_default() += 1,
            Recognised::Other(what) => *others.entry(what.to_owned()).or_default() += 1,
            Recognised::Empty => *others.entry("an empty file".to_owned()).or_default() += 1,
        }
    }
    print_tables(&agents, &others);
    if options.iter().any(|option| option == "--details") {
        for (name, totals) in &agents {
            print_details(name, totals);
        }
    }
    let is_whole = |totals: &Totals| totals.uncovered == 0 && totals.invalid.is_empty();
    if !agents.values().all(is_whole) {
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

fn read(path: &Path, bytes: &[u8], agent: &agents::Agent, totals: &mut Totals) {
    let Some(reading) = agent.reading else { return };
    let beside = reading.beside(path).and_then(|(beside, _)| std::fs::read(beside).ok());
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

    let mut covered = vec![false; bytes.len()];
    let (mut last, mut sessions, mut runs) = (HashMap::new(), HashMap::new(), HashMap::new());
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
            Change::Rewound { .. } | Change::Blob { .. } => {}
        }
    }
    // Brackets and spaces that end a document belong to none of its entries.
    let end = bytes.iter().rposition(|byte| !b"]} \r\n\t".contains(byte)).map_or(0, |last| last + 1);
    totals.uncovered += covered[..end].iter().filter(|covered| !**covered).count() as u64;
    totals.sessions += sessions.len();
    totals.children += sessions.values().filter(|facts| facts.parent.is_some()).count();
    totals.with_call += sessions.values().filter(|facts| facts.call_id.is_some()).count();
    for run in runs.values() {
        *totals.outcomes.entry(run.outcome.to_string()).or_default() += 1;
    }
    for draft in last.values() {
        let kind = draft.message_type();
        let column = TYPES.iter().find(|known| **known == kind).unwrap_or(&"other");
        *totals.types.entry((*column).to_owned()).or_default() += 1;
        *totals.roles.entry(draft.role.to_string()).or_default() += 1;
        *totals.senders.entry(format!("{} {kind} {}", draft.role, draft.sender)).or_default() += 1;
        match Body::of(draft) {
            Body::Invalid { problem, .. } => totals.invalid.push(format!("{} {kind}: {problem:?}", draft.id)),
            Body::ToolCall(call) => *totals.states.entry(call.state().to_string()).or_default() += 1,
            _ => {}
        }
    }
}

fn print_tables(agents: &BTreeMap<&str, Totals>, others: &Counts) {
    println!(
        "| Agent | Files | Bytes | Sessions | of sub-agents | with their call | Notes | Bytes in no message | Invalid payloads |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (name, totals) in agents {
        let Totals { files, bytes, sessions, children, with_call, uncovered, .. } = totals;
        let (notes, invalid) = (totals.notes.values().sum::<usize>(), totals.invalid.len());
        println!(
            "| {name} | {files} | {bytes} | {sessions} | {children} | {with_call} | {notes} | {uncovered} | {invalid} |"
        );
    }
    let counts = |of: fn(&Totals) -> &Counts, columns: &[&str], title: &str| {
        println!("\n| {title} | {} | all |\n|---|{}", columns.join(" | "), "--:|".repeat(columns.len() + 1));
        for (name, totals) in agents {
            let of = of(totals);
            let cells: Vec<_> =
                columns.iter().map(|column| of.get(*column).copied().unwrap_or(0).to_string()).collect();
            println!("| {name} | {} | {} |", cells.join(" | "), of.values().sum::<usize>());
        }
    };
    counts(|totals| &totals.types, &TYPES, "Messages by type");
    counts(|totals| &totals.roles, &ROLES, "Messages by role");
    if !others.is_empty() {
        println!("\n| Files that aren't read | |\n|---|--:|");
        for (what, count) in others {
            println!("| {what} | {count} |");
        }
    }
}

fn print_details(name: &str, totals: &Totals) {
    let (mb, seconds) = (totals.bytes as f64 / 1e6, totals.took.as_secs_f64().max(1e-9));
    println!("\n{name}: {mb:.1} MB in {seconds:.2} s, {:.1} MB/s", mb / seconds);
    for (what, table) in
        [("notes", &totals.notes), ("messages", &totals.senders), ("calls", &totals.states), ("runs", &totals.outcomes)]
    {
        println!("  {what}:");
        for (what, count) in table {
            println!("  {count:>7} {what}");
        }
    }
    totals.invalid.iter().take(20).for_each(|problem| println!("  invalid: {problem}"));
}
