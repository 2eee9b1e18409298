//! How fast batches are written and words are found: 200 sessions of 600 messages, 1.2 KB each, and their source bytes.
//!
//! `cargo run --release -p store --example bulk [postgres://... or -] [nosearch]`. The first figure is the import, the
//! last ones are searches.
#![expect(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used, reason = "a measurement, run by hand")]

use model::policy::Display;
use model::{CopyMarks, Draft, MessageId, Micros, RecordRef, Role, SessionFacts, SessionId, SourceId};
use std::fmt::Write as _;
use std::time::Instant;
use store::{Batch, Database, MessageUpsert, RecordChunk, SearchQuery, SessionUpsert, SourceBatch, Store};

const SESSIONS: u64 = 200;
const MESSAGES: u64 = 600;
const VOCABULARY: u64 = 40_000;

#[tokio::main]
async fn main() {
    let dir = std::env::temp_dir().join(format!("verbatim-bulk-{}", std::process::id()));
    let database = match std::env::args().nth(1).filter(|url| url != "-") {
        Some(url) => Database::Postgres(url),
        None => Database::Sqlite(dir.join("verbatim.db")),
    };
    let workspace = Store::open(&database).await.unwrap().workspace("default");
    let mut batches = Vec::new();
    let (mut bytes, mut seed) = (0, 7);
    for session in 0..SESSIONS {
        let batch = batch(session, &mut seed);
        bytes += batch.source.as_ref().map_or(0, |source| source.size);
        batches.push(batch);
    }
    let again = batches[0].clone();
    let start = Instant::now();
    for batch in batches {
        workspace.write_batch(batch).await.unwrap();
    }
    let took = start.elapsed();
    println!("written: {} messages, {} MB of source in {took:?}", SESSIONS * MESSAGES, bytes / 1_000_000);
    let start = Instant::now();
    let mut again = again;
    again.source = None;
    workspace.write_batch(again).await.unwrap();
    println!("one session again: {:?}", start.elapsed());
    for text in ["w1 ", "w2 w3 ", "w1", "w900 ", "w39000 "] {
        let query = SearchQuery { text: text.to_owned(), limit: 50, ..SearchQuery::default() };
        workspace.search(&query).await.unwrap();
        let start = Instant::now();
        let hits = workspace.search(&query).await.unwrap();
        println!("search {text:?}: {} hits in {:?}", hits.total, start.elapsed());
    }
    if let Database::Sqlite(file) = &database {
        println!("file: {} MB", file.metadata().unwrap().len() / 1_000_000);
        std::fs::remove_dir_all(dir).unwrap();
    }
}

fn batch(session: u64, seed: &mut u64) -> Batch {
    let key = format!("session-{session}");
    let source = SourceId::parse(key.clone()).unwrap();
    let mut file = Vec::new();
    let mut messages = Vec::new();
    for n in 0..MESSAGES {
        let content = words(seed, 200);
        let line = format!("{{\"type\":\"assistant\",\"uuid\":\"{session:08}-{n:08}\",\"text\":\"{content}\"}}\n");
        let record = RecordRef { source: source.clone(), offset: file.len() as u64, len: line.len() as u64 };
        file.extend_from_slice(line.as_bytes());
        let id = MessageId::parse(format!("{:016x}-{session:08}-{n:08}", random(seed))).unwrap();
        let mut draft = Draft::text(id, Role::Assistant, "bot", content.clone(), Micros(1_000_000 * n as i64));
        draft.origin.cwd = Some("/home/ada/work/project".to_owned());
        messages.push(MessageUpsert {
            session_key: key.clone(),
            draft,
            display: Display::Shown,
            records: vec![record],
            search_text: std::env::args().nth(2).is_none().then_some(content),
            remembered: false,
            files: Vec::new(),
            marks: CopyMarks::default(),
        });
    }
    let size = file.len() as u64;
    Batch {
        source: Some(SourceBatch {
            id: source,
            path: format!("/home/ada/{key}.jsonl"),
            reader: "demo".to_owned(),
            reader_version: 1,
            append: vec![RecordChunk { offset: 0, bytes: file }],
            size,
            sha256: String::new(),
            modified_at: None,
            replace: false,
        }),
        sessions: vec![SessionUpsert {
            new_id: SessionId::parse(key.clone()).unwrap(),
            key,
            agent: "demo".to_owned(),
            parent_key: None,
            facts: SessionFacts::default(),
        }],
        messages,
        now: Micros(1_000_000_000),
        ..Batch::default()
    }
}

/// Words as in a language: the lower the number, the more often.
fn words(seed: &mut u64, count: usize) -> String {
    let mut text = String::new();
    for _ in 0..count {
        let unit = (random(seed) >> 11) as f64 / (1_u64 << 53) as f64;
        let number = (VOCABULARY as f64).powf(unit) as u64;
        write!(text, "w{number} ").unwrap();
    }
    text
}

fn random(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    seed.wrapping_mul(0x2545_f491_4f6c_dd1d)
}
