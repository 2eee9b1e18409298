//! Measures each reader of lines on one large file: `cargo run --release -p agents --example speed -- FOLDER [MB]`.
//!
//! The largest file of each agent below the folder is repeated, with other ids in each copy, up to so many megabytes (300 unless said).
//! It is made and read block by block, so that the peak of memory is the reader's. Files named instead of a folder are read as they are.
#![expect(clippy::print_stdout, reason = "a command's output")]
#![expect(clippy::disallowed_methods, reason = "measures")]

use agents::{Agent, Recognised};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Bytes of a block, as an import reads them.
const BLOCK: usize = 512 << 10;
/// Fields with ids that tell the lines of a copy from those of another. Those of sessions stay.
const IDS: [&str; 13] = [
    "id",
    "uuid",
    "parentUuid",
    "parentId",
    "call_id",
    "callId",
    "toolCallId",
    "tool_use_id",
    "tool_call_id",
    "messageId",
    "requestId",
    "leafUuid",
    "action_id",
];

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let size = words.iter().find_map(|word| word.parse::<u64>().ok()).unwrap_or(300) * 1_000_000;
    println!("| Agent | MB | Changes | MB/s | Peak memory in MB |\n|---|--:|--:|--:|--:|");
    for path in words.iter().filter(|word| word.parse::<u64>().is_err()).map(Path::new) {
        if path.is_dir() {
            for (agent, file) in largest(path)?.into_values() {
                let text = String::from_utf8_lossy(&std::fs::read(&file)?).into_owned();
                let rest: String = text.split_inclusive('\n').skip(1).filter(|line| goes_on(line)).collect();
                let next = |n| if n == 0 { text.clone().into_bytes() } else { copy(&rest, n) };
                let is_wanted = |n| n == 0 || !rest.is_empty() && n * (rest.len() as u64) < size;
                measure(agent, &file, &mut |n| is_wanted(n).then(|| next(n)));
            }
        } else if let Some(agent) = agent_of(path)? {
            let mut file = std::fs::File::open(path)?;
            measure(agent, path, &mut |_| {
                let mut block = Vec::with_capacity(BLOCK);
                file.by_ref().take(BLOCK as u64).read_to_end(&mut block).ok()?;
                Some(block).filter(|block| !block.is_empty())
            });
        }
    }
    Ok(())
}

/// Reads what `next` makes, and prints a line of the table.
fn measure(agent: &Agent, path: &Path, next: &mut dyn FnMut(u64) -> Option<Vec<u8>>) {
    let Some(reading) = agent.reading else { return };
    // From here on the system counts the peak anew.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = memory("VmRSS:");
    let mut reader = (reading.open)(&path.to_string_lossy(), None);
    let (mut bytes, mut count, mut took, mut changes) = (0, 0, Duration::ZERO, Vec::new());
    let mut read = |reader: &mut dyn agents::Reader, block: Option<&[u8]>| {
        let start = Instant::now();
        match block {
            Some(block) => reader.push(block, &mut changes),
            None => reader.finish(&mut changes),
        }
        took += start.elapsed();
        count += changes.len();
        changes.clear();
    };
    for n in 0.. {
        let Some(copy) = next(n) else { break };
        bytes += copy.len();
        copy.chunks(BLOCK).for_each(|block| read(&mut *reader, Some(block)));
    }
    read(&mut *reader, None);
    let (mb, peak) = (bytes as f64 / 1e6, memory("VmHWM:").saturating_sub(before) as f64 / 1e3);
    println!("| {} | {mb:.0} | {count} | {:.0} | {peak:.0} |", agent.title, mb / took.as_secs_f64().max(1e-9));
}

/// Is it no line that begins the session anew, or goes back in it? People do so a few times, and not in each copy.
fn goes_on(line: &str) -> bool {
    let squeezed = line.replace("\": ", "\":");
    !["\"$rewindTo\"", "\"parentId\":null", "\"parentUuid\":null"].iter().any(|mark| squeezed.contains(mark))
}

/// The text with a number behind each id.
fn copy(text: &str, n: u64) -> Vec<u8> {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut rest = text;
    while let Some(at) = rest.find("\":") {
        let (before, value) = rest.split_at(at + 2);
        let name = before[..at].rsplit('"').next().unwrap_or_default();
        out.push_str(before);
        rest = value;
        let value = rest.trim_start_matches(' ').strip_prefix('"').filter(|_| IDS.contains(&name));
        if let Some(end) = value.and_then(|value| Some(rest.len() - value.len() + value.find('"')?)) {
            out.push_str(&rest[..end]);
            out.push_str(&format!("-{n}"));
            rest = &rest[end..];
        }
    }
    out.push_str(rest);
    out.into_bytes()
}

/// The largest file of JSON lines of each agent that is read.
fn largest(folder: &Path) -> std::io::Result<BTreeMap<&'static str, (&'static Agent, PathBuf)>> {
    let mut found: BTreeMap<&str, (&Agent, PathBuf)> = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "jsonl")
                && let Some(agent) = agent_of(&path)?
            {
                let size = |path: &Path| path.metadata().map_or(0, |metadata| metadata.len());
                let known = found.entry(agent.name).or_insert_with(|| (agent, path.clone()));
                if size(&path) > size(&known.1) {
                    known.1 = path;
                }
            }
        }
    }
    Ok(found)
}

fn agent_of(path: &Path) -> std::io::Result<Option<&'static Agent>> {
    let bytes = std::fs::read(path)?;
    Ok(match agents::recognise(&bytes[..bytes.len().min(256 << 10)], &bytes) {
        Recognised::Agent(agent) if agent.reading.is_some() => Some(agent),
        _ => None,
    })
}

/// A value of the process, in kilobytes.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
