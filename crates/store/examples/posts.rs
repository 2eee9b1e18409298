//! How fast posts are written: batches of messages of 1 KB to 200 sessions, without HTTP, and without preparing them.
//!
//! `cargo run --release -p store --example posts [postgres://... or -] [posts of a batch]`
#![expect(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used, reason = "a measurement, run by hand")]

use model::policy::Display;
use model::{Body, Draft, MessageId, Micros, Role, SessionFacts, SessionId};
use std::time::{Duration, Instant};
use store::{Database, LivePost, LiveWrite, NewMessage, NewSession, Origin, Store, Sums};

const SESSIONS: usize = 200;
const BATCHES: usize = 400;

#[tokio::main]
async fn main() {
    let dir = std::env::temp_dir().join(format!("verbatim-posts-{}", std::process::id()));
    let database = match std::env::args().nth(1).filter(|url| url != "-") {
        Some(url) => Database::Postgres(url),
        None => Database::Sqlite(dir.join("verbatim.db")),
    };
    let size: usize = std::env::args().nth(2).map_or(32, |size| size.parse().unwrap());
    let store = Store::open(&database).await.unwrap();
    let workspace = store.workspace("default");
    let name = |n: usize| SessionId::parse(format!("session-{n:04}")).unwrap();
    let made: Vec<LiveWrite> = (0..SESSIONS).map(|n| LiveWrite::Create(Box::new(session(name(n))))).collect();
    workspace.write_live(&made, Micros(1_700_000_000_000_000)).await.unwrap();
    tokio::spawn(async move { store.keep_up().await });
    let mut seed = 7;
    let (mut preparing, mut writing) = (Duration::ZERO, Vec::with_capacity(BATCHES));
    for batch in 0..BATCHES {
        let start = Instant::now();
        let posts: Vec<LiveWrite> =
            (0..size).map(|n| post(name((batch * size + n) % SESSIONS), batch * size + n, &mut seed)).collect();
        preparing += start.elapsed();
        let start = Instant::now();
        let now = Micros(1_700_000_000_000_000 + batch as i64 * 5_000);
        let written = workspace.write_live(&posts, now).await.unwrap();
        assert!(written.answers.iter().all(Result::is_ok));
        writing.push(start.elapsed());
    }
    let posts = (BATCHES * size) as u32;
    let all: Duration = writing.iter().sum();
    writing.sort();
    println!(
        "{size} posts a batch: prepared {:?}, written {:?} each; a batch p50 {:?}, p99 {:?}, most {:?}",
        preparing / posts,
        all / posts,
        writing[BATCHES / 2],
        writing[BATCHES * 99 / 100],
        writing[BATCHES - 1]
    );
    if let Database::Sqlite(_) = &database {
        std::fs::remove_dir_all(dir).unwrap();
    }
}

fn session(id: SessionId) -> NewSession {
    NewSession {
        key: id.to_string(),
        id,
        agent: "bench".to_owned(),
        parent_key: None,
        facts: SessionFacts::default(),
        key_id: None,
        create_hash: Some(vec![7; 32]),
        origin: Origin::Posts,
        machine: None,
    }
}

fn post(session: SessionId, number: usize, seed: &mut u64) -> LiveWrite {
    let mut content = String::with_capacity(1100);
    while content.len() < 1024 {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        content.push_str(&format!("word{} ", (*seed >> 8) % if seed.is_multiple_of(4) { 20_000 } else { 40 }));
    }
    let id = MessageId::parse(format!("message-{number}")).unwrap();
    let draft = Draft::text(id, Role::Assistant, "bot", content, Micros(1_700_000_000_000_000));
    let message = NewMessage {
        display: Display::Shown,
        search_text: Some(draft.content.clone()),
        remembered: false,
        files: Vec::new(),
        sums: Sums::default(),
        body: Body::of(&draft),
        draft,
    };
    let mut post = LivePost::new(session, message, vec![7; 32]).unwrap();
    post.takes_queue = true;
    LiveWrite::Post(Box::new(post))
}
