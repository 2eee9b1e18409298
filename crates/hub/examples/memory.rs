//! How fast memory answers: 100,000 memories of 12 words, with vectors of 384 numbers, by words and by meaning.
//!
//! `cargo run --release -p hub --example memory [postgres://... or -] [memories]`
#![expect(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used, reason = "a measurement, run by hand")]

use futures::FutureExt as _;
use futures::future::BoxFuture;
use hub::Embedder;
use hub::memory::MemoryIndex;
use model::policy::Display;
use model::{CopyMarks, Draft, MessageId, Micros, Role, SessionFacts, SessionId};
use std::time::{Duration, Instant};
use store::{Batch, Database, MemoryFilter, MessageUpsert, SessionUpsert, Store, Unembedded};

const WIDTH: usize = 384;
const PART: usize = 1_000;
const QUERIES: usize = 100;
const WORDS: u64 = 30_000;
const MODEL: &str = "random";

/// Numbers that are the same in each run.
#[derive(Debug)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 8
    }

    /// Words as people use them: a few make up half of a text.
    fn word(&mut self) -> String {
        let of = if self.next().is_multiple_of(2) { 50 } else { WORDS };
        format!("word{}", self.next() % of)
    }

    fn text(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn vector(&mut self) -> Vec<f32> {
        (0..WIDTH).map(|_| (self.next() % 2_000) as f32 / 1_000.0 - 1.0).collect()
    }
}

/// Answers at once: what an endpoint takes is another's figure.
#[derive(Debug)]
struct AtOnce;

impl Embedder for AtOnce {
    fn model(&self) -> &'static str {
        MODEL
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, String>> {
        let vectors = texts.iter().map(|text| Random(text.len() as u64 + 99).vector()).collect();
        async move { Ok(vectors) }.boxed()
    }
}

#[tokio::main]
async fn main() {
    let dir = std::env::temp_dir().join(format!("verbatim-memory-{}", std::process::id()));
    let database = match std::env::args().nth(1).filter(|url| url != "-") {
        Some(url) => Database::Postgres(url),
        None => Database::Sqlite(dir.join("verbatim.db")),
    };
    let many: usize = std::env::args().nth(2).map_or(100_000, |many| many.parse().unwrap());
    let store = Store::open(&database).await.unwrap();
    let workspace = store.workspace("default");
    let mut random = Random(7);
    let session = SessionUpsert {
        key: "s".to_owned(),
        agent: "bench".to_owned(),
        parent_key: None,
        facts: SessionFacts::default(),
        new_id: SessionId::parse("s").unwrap(),
    };
    let now = Micros(1_700_000_000_000_000);
    for part in 0..many.div_ceil(PART) {
        let messages = (0..PART).map(|n| said(part * PART + n, random.text(12), now)).collect();
        let batch = Batch { sessions: vec![session.clone()], messages, now, ..Batch::default() };
        workspace.write_batch(batch).await.unwrap();
    }
    loop {
        let texts = workspace.unembedded(PART as u32).await.unwrap();
        if texts.is_empty() {
            break;
        }
        let with_vector = |text: Unembedded| {
            let vector = hub::memory::normalised(random.vector()).unwrap();
            (text, vector.iter().flat_map(|number| number.to_le_bytes()).collect())
        };
        let vectors: Vec<(Unembedded, Vec<u8>)> = texts.into_iter().map(with_vector).collect();
        workspace.put_vectors(MODEL, &vectors, now).await.unwrap();
    }
    let index = MemoryIndex::default();
    let start = Instant::now();
    let filter = MemoryFilter::default();
    index.recall(&workspace, Some(&AtOnce), "word1", &filter, many as i64).await.unwrap();
    println!("{many} memories; the first answer, which reads all vectors: {:?}", start.elapsed());
    for (name, embedder) in [("words", None), ("words and meaning", Some(&AtOnce as &dyn Embedder))] {
        let mut took: Vec<Duration> = Vec::with_capacity(QUERIES);
        for _ in 0..QUERIES {
            let words = 1 + (random.next() % 8) as usize;
            let query = random.text(words);
            let start = Instant::now();
            let counts = workspace.memory_counts(&filter).await.unwrap();
            let found = index.recall(&workspace, embedder, &query, &filter, counts.all).await.unwrap();
            let rids: Vec<i64> = found.iter().map(|found| found.rid).take(41).collect();
            workspace.memories(&rids).await.unwrap();
            took.push(start.elapsed());
        }
        took.sort();
        println!("{name}: p50 {:?}, p99 {:?}", took[QUERIES / 2], took[QUERIES * 99 / 100]);
    }
    store.close().await;
    if let Database::Sqlite(_) = &database {
        std::fs::remove_dir_all(dir).unwrap();
    }
}

fn said(number: usize, content: String, now: Micros) -> MessageUpsert {
    let id = MessageId::parse(format!("m{number}")).unwrap();
    MessageUpsert {
        session_key: "s".to_owned(),
        search_text: Some(content.clone()),
        draft: Draft::text(id, Role::User, "user", content, now),
        display: Display::Shown,
        records: Vec::new(),
        remembered: true,
        files: Vec::new(),
        marks: CopyMarks::default(),
    }
}
