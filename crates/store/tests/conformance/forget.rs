//! What is forgotten leaves nothing.

use crate::support::{Engine, NOW, ago, batch, bytes, engines, message, record, session, session_id, source_id};
use model::{Run, RunOutcome, Usage};
use store::{Database, FeedKind, NewBlob, RunUpsert, SearchQuery, SessionFilter};

/// One session `key` of project `/work/<key>`, from a source of its own, with one of everything.
async fn fill(engine: &Engine, key: &str) {
    let mut upsert = session(key);
    upsert.facts.project = Some(format!("/work/{key}"));
    let mut one = message(key, &format!("{key}-1"), &format!("needle zyx{key}zyx"));
    one.records = vec![record(key, 0, 2)];
    let mut write = batch(vec![upsert], vec![one]);
    write.source = Some(bytes(key, 0, b"01"));
    let shared = NewBlob {
        session_key: key.to_owned(),
        sha256: "both".to_owned(),
        mime: "image/png".to_owned(),
        bytes: vec![1],
    };
    write.blobs = vec![NewBlob { sha256: key.to_owned(), ..shared.clone() }, shared];
    let run = Run {
        id: format!("run-{key}"),
        model: None,
        started_at: ago(5),
        ended_at: None,
        outcome: RunOutcome::Done,
        usage: Usage::default(),
        cost_usd: None,
    };
    write.runs = vec![RunUpsert { session_key: key.to_owned(), run }];
    engine.workspace.write_batch(write).await.unwrap();
}

async fn assert_only_b_is_left(engine: &Engine) {
    let workspace = &engine.workspace;
    let page = workspace.sessions(&SessionFilter::new(NOW, 10)).await.unwrap();
    assert_eq!(page.items.iter().map(|session| session.id.as_str()).collect::<Vec<_>>(), ["s-b"]);
    let sources = workspace.sources().await.unwrap();
    assert_eq!(sources.iter().map(|source| source.id.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(workspace.record(&source_id("a"), 0, 1).await.unwrap(), None);
    let query = SearchQuery { text: "needle".to_owned(), limit: 5, ..SearchQuery::default() };
    assert_eq!(workspace.search(&query).await.unwrap().total, 1);
    assert_eq!(workspace.blob("a").await.unwrap(), None);
    assert!(workspace.blob("both").await.unwrap().is_some() && workspace.blob("b").await.unwrap().is_some());
    assert_eq!(workspace.runs(&session_id("s-a")).await.unwrap(), []);
    let feed = workspace.feed_after(0, 10).await.unwrap();
    let of_a: Vec<FeedKind> = feed
        .iter()
        .map(|entry| &entry.row)
        .filter(|row| row.session_id.as_str() == "s-a")
        .map(|row| row.kind)
        .collect();
    assert_eq!(of_a, [FeedKind::Forgotten]);
    assert_eq!(rows(engine).await, [1, 1, 1, 1, 1, 1, 2, 1, 2]);
}

/// Rows of every table that a session fills.
async fn rows(engine: &Engine) -> Vec<i64> {
    const TABLES: [&str; 8] =
        ["source", "record_chunk", "session", "message", "message_count", "session_source", "session_blob", "run"];
    let mut counts = Vec::new();
    for table in TABLES.into_iter().chain(["blob"]) {
        let sql = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
        counts.push(match &engine.database {
            Database::Sqlite(file) => {
                let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
                let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
                let count = sqlx::query_scalar(sql).fetch_one(&pool).await.unwrap();
                pool.close().await;
                count
            }
            Database::Postgres(url) => {
                let pool = sqlx::PgPool::connect(url).await.unwrap();
                let count = sqlx::query_scalar(sql).fetch_one(&pool).await.unwrap();
                pool.close().await;
                count
            }
        });
    }
    counts
}

#[tokio::test]
async fn a_project() {
    for engine in engines().await {
        fill(&engine, "a").await;
        fill(&engine, "b").await;
        let forgotten = engine.workspace.forget_sessions_of_project("/work/a").await.unwrap();
        assert_eq!(forgotten, [session_id("s-a")]);
        assert_only_b_is_left(&engine).await;
        assert_eq!(engine.workspace.forget_sessions_of_project("/work/a").await.unwrap(), []);
    }
}

#[tokio::test]
async fn a_source() {
    for engine in engines().await {
        fill(&engine, "a").await;
        fill(&engine, "b").await;
        assert_eq!(engine.workspace.forget_source(&source_id("a")).await.unwrap(), [session_id("s-a")]);
        assert_only_b_is_left(&engine).await;
        assert_eq!(engine.workspace.forget_source(&source_id("a")).await.unwrap(), []);
    }
}

#[tokio::test]
async fn the_children_of_a_projects_sessions_and_the_mark_of_forks() {
    for engine in engines().await {
        fill(&engine, "a").await;
        let mut child = session("a/1");
        child.parent_key = Some("a".to_owned());
        child.facts.project = None;
        let fork = vec![message("fork", "a-1", "needle"), message("fork", "own", "needle")];
        engine.workspace.write_batch(batch(vec![child], vec![message("a/1", "c1", "x")])).await.unwrap();
        engine.workspace.write_batch(batch(vec![session("fork")], fork)).await.unwrap();
        let forgotten = engine.workspace.forget_sessions_of_project("/work/a").await.unwrap();
        assert_eq!(forgotten, [session_id("s-a"), session_id("s-a/1")]);
        let fork = engine.workspace.session(&session_id("s-fork"), NOW).await.unwrap().unwrap();
        assert_eq!((fork.forked_from, fork.message_count), (None, 1));
    }
}

/// The words themselves, too, not just the way to them.
#[tokio::test]
async fn no_word_is_left_in_the_file() {
    for engine in engines().await {
        let Database::Sqlite(file) = &engine.database else { continue };
        fill(&engine, "a").await;
        engine.workspace.forget_sessions_of_project("/work/a").await.unwrap();
        engine.store.close().await;
        let left = std::fs::read(file).unwrap();
        let word = b"zyxazyx";
        assert!(!left.windows(word.len()).any(|window| window == word));
    }
}
