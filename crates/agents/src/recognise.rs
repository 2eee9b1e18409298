//! Recognises the kind of a file by the beginning and the end of its content. Names and folders say nothing.
//!
//! Each record of a file is asked whose it is; most votes win.

use crate::agent::{AGENTS, Agent, Detect};
use crate::claude;
use crate::parts::decode::Encoding;
use crate::parts::obj::Obj;
use crate::parts::pieces::{What, is_record, pieces};

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recognised {
    /// A file of an agent, whether a reader reads it or not.
    Agent(&'static Agent),
    /// Anything else.
    Other(&'static str),
    /// No bytes, or white space alone.
    Empty,
}

impl Recognised {
    /// Returns why such a file isn't imported, to be read after its name. None if it can be.
    pub fn refusal(self) -> Option<String> {
        match self {
            Self::Agent(agent) if agent.reading.is_some() => None,
            Self::Agent(agent) => Some(format!("looks like {}; not readable yet", agent.file)),
            Self::Other(what) => Some(format!("looks like {what}, not like a transcript")),
            Self::Empty => Some("is empty".to_owned()),
        }
    }
}

/// Records that are asked.
const RECORDS: usize = 50;

/// The line of [`AGENTS`] that a record, or a document of these fields, belongs to: one of the keeper's, if any fits.
fn line_of(keeper: Option<&Agent>, object: &Obj) -> Option<usize> {
    let fits = |agent: &Agent| matches!(agent.detect, Detect::Record(fits) if fits(object));
    let kept = keeper.and_then(|keeper| AGENTS.iter().position(|agent| agent.name == keeper.name && fits(agent)));
    kept.or_else(|| AGENTS.iter().position(fits))
}

/// Returns what a file is by its content. `beginning` is its first bytes, best up to the end of a line. `end` is its last ones, empty
/// where `beginning` is all of it: the mark of a document may stand behind its long lists.
///
/// ```
/// use agents::{Recognised, recognise};
///
/// assert_eq!(recognise(b" \n", b""), Recognised::Empty);
/// assert!(recognise(b"# Notes", b"").refusal().is_some());
/// ```
pub fn recognise(beginning: &[u8], end: &[u8]) -> Recognised {
    recognise_of(None, beginning, end)
}

/// Like [`recognise()`], of a file that this agent keeps: where its content fits several, it is this one's.
pub fn recognise_kept(by: &Agent, beginning: &[u8], end: &[u8]) -> Recognised {
    recognise_of(Some(by), beginning, end)
}

/// Returns what a database is by the names of its tables.
///
/// ```
/// let tables = ["auth_kv", "conversations"].map(str::to_owned);
/// let refusal = agents::recognise_tables(&tables).refusal();
/// assert_eq!(refusal.as_deref(), Some("looks like a database of Kiro; not readable yet"));
/// ```
pub fn recognise_tables(tables: &[String]) -> Recognised {
    let is_there = |name: &&str| tables.iter().any(|table| table == name);
    let fits = |agent: &&Agent| matches!(agent.detect, Detect::Tables(all) if all.iter().all(is_there));
    AGENTS.iter().find(fits).map_or(Recognised::Other("another program's database"), Recognised::Agent)
}

fn recognise_of(keeper: Option<&Agent>, beginning: &[u8], end: &[u8]) -> Recognised {
    let encoding = Encoding::of(beginning.iter().copied()).unwrap_or(Encoding::Utf8);
    let text = encoding.decode(beginning);
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if start.is_empty() {
        return Recognised::Empty;
    }
    if let Some(what) = of_bytes(beginning) {
        return Recognised::Other(what);
    }
    let first_line = start.lines().next().unwrap_or_default().trim_end();
    let begins_with = |agent: &&Agent| match agent.detect {
        Detect::Line(fits) => fits(first_line),
        Detect::Text(fits) => fits(start),
        Detect::Record(_) | Detect::Tables(_) => false,
    };
    if let Some(agent) = AGENTS.iter().find(begins_with) {
        return Recognised::Agent(agent);
    }
    let (asked, votes) = votes(keeper, &text);
    if start.starts_with(['{', '[']) && Obj::parse(first_line).is_none() {
        // One JSON document over many lines, or a first line that was cut off.
        let is_claude = |agent: &Agent| agent.name == claude::Reader::NAME;
        let among_claude = AGENTS.iter().zip(&votes).any(|(agent, votes)| is_claude(agent) && *votes > 0);
        match of_document(keeper, start, &encoding.decode(end)) {
            Some(agent) if is_claude(agent) || !among_claude => return Recognised::Agent(agent),
            None if asked == 0 => return Recognised::Other("JSON of an unknown shape"),
            _ => {}
        }
    }
    // If several agents have as many records, the last one wins: its test fits most closely.
    let most = AGENTS.iter().zip(votes).filter(|(_, votes)| *votes > 0).max_by_key(|(_, votes)| *votes);
    match (most, asked) {
        (Some((agent, _)), _) => Recognised::Agent(agent),
        (None, 1) => Recognised::Other("JSON of an unknown shape"),
        (None, 2..) => Recognised::Other("JSON lines of an unknown shape"),
        (None, 0) => by_lines(&text).unwrap_or_else(|| {
            let is_text = encoding != Encoding::Utf8 || !is_binary(beginning);
            Recognised::Other(if is_text { "plain text" } else { "a binary file" })
        }),
    }
}

/// The agent that a document is of, by the fields that it begins and ends with.
fn of_document(keeper: Option<&Agent>, start: &str, end: &str) -> Option<&'static Agent> {
    let document = start.trim_start_matches(|c: char| c == '[' || c.is_whitespace());
    let last = last_fields(end).filter(|_| start.starts_with('{')).map(|fields| format!("{{{fields}"));
    let last = last.as_deref().and_then(Obj::parse);
    line_of(keeper, &Obj::beginning(document).and(last)).and_then(|line| AGENTS.get(line))
}

/// How many records of a text were asked, and how many of them are of each line of [`AGENTS`].
fn votes(keeper: Option<&Agent>, text: &str) -> (usize, Vec<usize>) {
    let mut votes = vec![0; AGENTS.len()];
    let mut asked = 0;
    for line in text.split('\n').filter(|line| line.contains('{')) {
        if asked == RECORDS {
            break;
        }
        let pieces = pieces(line);
        let lone = pieces.len() == 1;
        for piece in pieces {
            if let What::Record(record) = piece.what
                && let Some(object) = Obj::parse(&record).filter(|object| lone || is_record(object))
            {
                asked += 1;
                if let Some(votes) = line_of(keeper, &object).and_then(|line| votes.get_mut(line)) {
                    *votes += 1;
                }
            }
        }
    }
    (asked, votes)
}

/// The fields that a document ends with, as far as they are whole, up to its last bracket.
fn last_fields(end: &str) -> Option<&str> {
    let end = end.trim_end();
    let bytes = end.strip_suffix('}')?.as_bytes();
    let is_escaped = |at: usize| bytes.iter().take(at).rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    let (mut depth, mut in_string, mut first) = (0_usize, false, None);
    for (at, byte) in bytes.iter().enumerate().rev() {
        match byte {
            b'"' if !is_escaped(at) => in_string = !in_string,
            _ if in_string => {}
            b'}' | b']' => depth += 1,
            b'{' | b'[' if depth == 0 => break,
            b'{' | b'[' => depth -= 1,
            b',' if depth == 0 => first = Some(at + 1),
            _ => {}
        }
    }
    end.get(first?..)
}

/// Files without records are known by a line of theirs.
fn by_lines(text: &str) -> Option<Recognised> {
    let has_line = |agent: &&Agent| match agent.detect {
        Detect::Line(fits) => text.lines().any(fits),
        Detect::Record(_) | Detect::Text(_) | Detect::Tables(_) => false,
    };
    AGENTS.iter().find(has_line).map(Recognised::Agent)
}

/// Files that are known by their first bytes.
fn of_bytes(beginning: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 8] = [
        (b"SQLite format 3\0", "an SQLite database"),
        (b"\x1f\x8b", "a compressed file"),
        (b"PK\x03\x04", "a zip file"),
        (b"\x28\xb5\x2f\xfd", "a compressed file"),
        (b"\x89PNG", "an image"),
        (b"\xff\xd8\xff", "an image"),
        (b"GIF8", "an image"),
        (b"%PDF", "a PDF document"),
    ];
    KINDS.iter().find(|(start, _)| beginning.starts_with(start)).map(|(_, what)| *what)
}

/// Returns true if the bytes aren't text. A last character may have been cut in half.
fn is_binary(bytes: &[u8]) -> bool {
    let invalid = bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    bytes.contains(&0) || invalid > 1 + bytes.len() / 100
}
