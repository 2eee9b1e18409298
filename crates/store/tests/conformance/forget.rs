//! Forgotten sessions leave nothing behind.

use crate::support::{
    Engine, NOW, ago, batch, bytes, count, digest, engines, message, record, session, session_id, source_id, upload,
};
use model::{Micros, Run, RunOutcome, Usage};
use store::{Database, FeedKind, LiveEdit, LiveWrite, NewBlob, Refusal, RunUpsert, SearchQuery, SessionFilter};

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
    write.runs = vec![RunUpsert { session_key: key.to_owned(), run, spent: Vec::new() }];
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
        counts.push(count(engine, table).await);
    }
    counts
}

#[tokio::test]
async fn a_source() {
    for engine in engines().await {
        fill(&engine, "a").await;
        fill(&engine, "b").await;
        let forget = async || engine.workspace.forget_sources(&[source_id("a")]).await.unwrap();
        assert_eq!(forget().await, [session_id("s-a")]);
        assert_only_b_is_left(&engine).await;
        assert_eq!(forget().await, []);
    }
}

/// A session that came from two of them goes with the second one; one that came from elsewhere too stays, and a fork
/// forgets whose it was.
#[tokio::test]
async fn several_sources() {
    for engine in engines().await {
        fill(&engine, "a").await;
        fill(&engine, "b").await;
        fill(&engine, "c").await;
        let shared = |key: &str, source: &str| {
            let mut more = message(key, &format!("{key}-{source}"), "needle");
            more.records = vec![record(source, 2, 2)];
            let mut write = batch(vec![session(key)], vec![more]);
            write.source = Some(bytes(source, 2, b"23"));
            write
        };
        engine.workspace.write_batch(shared("a", "b")).await.unwrap();
        engine.workspace.write_batch(shared("b", "c")).await.unwrap();
        let fork = vec![message("fork", "a-1", "needle"), message("fork", "own", "needle")];
        engine.workspace.write_batch(batch(vec![session("fork")], fork)).await.unwrap();
        let forgotten = engine.workspace.forget_sources(&[source_id("a"), source_id("b")]).await.unwrap();
        assert_eq!(forgotten, [session_id("s-a")]);
        let fork = engine.workspace.session(&session_id("s-fork"), NOW).await.unwrap().unwrap();
        assert_eq!((fork.forked_from, fork.message_count), (None, 1));
        assert!(engine.workspace.session(&session_id("s-b"), NOW).await.unwrap().is_some());
    }
}

/// Neither the words of messages nor those of the index, in as many pages as they fill: pages that become free are
/// wiped, and given back.
#[tokio::test]
async fn no_word_is_left_in_the_file() {
    for engine in engines().await {
        let Database::Sqlite(file) = &engine.database else { continue };
        fill(&engine, "a").await;
        fill(&engine, "b").await;
        let said = |n| (0..12).map(|word| format!("zyxazyx{n:03}x{word:02}")).collect::<Vec<_>>().join(" ");
        for step in 0..10 {
            let messages = (0..30).map(|n| n + step * 30).map(|n| message("a", &format!("a-{n}-more"), &said(n)));
            engine.workspace.write_batch(batch(vec![session("a")], messages.collect())).await.unwrap();
        }
        engine.workspace.forget_sources(&[source_id("a")]).await.unwrap();
        let word = b"zyxazyx";
        for file in [file.clone(), file.with_extension("db-wal")] {
            let left = std::fs::read(&file).unwrap_or_default();
            assert!(!left.windows(word.len()).any(|window| window == word), "{}", file.display());
        }
        engine.store.close().await;
        assert_eq!(std::fs::read(file).unwrap()[36..40], [0; 4], "pages that are free");
    }
}

/// A blob that no message names goes after a while, whoever uploaded it. One that a message names stays as long as the
/// message.
#[tokio::test]
async fn uploads() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        fill(&engine, "a").await;
        let digests: Vec<String> = ["named", "unnamed", "young", "again"].iter().map(digest).collect();
        for (words, at) in [("named", 100), ("unnamed", 100), ("young", 10), ("again", 100), ("again", 10)] {
            upload(workspace, words.as_bytes(), "text/plain", None, ago(at)).await;
        }
        workspace.attach_blob(&session_id("s-a"), &digests[0], None).await.unwrap();
        let there = async || {
            let mut there = Vec::new();
            for sha256 in ["a", "both"].into_iter().chain(digests.iter().map(String::as_str)) {
                there.push(workspace.blob(sha256).await.unwrap().is_some());
            }
            there
        };
        assert_eq!(workspace.forget_uploads(ago(50)).await.unwrap(), 1);
        assert_eq!(there().await, [true, true, true, false, true, true]);
        workspace.forget_sources(&[source_id("a")]).await.unwrap();
        assert_eq!(workspace.forget_uploads(ago(50)).await.unwrap(), 1);
        assert_eq!(there().await, [false, false, false, false, true, true]);
    }
}

/// The row of a deleted session that was read from a file stays, so that the file doesn't bring it back. Words, bytes
/// and blobs go, and later lines of the file aren't stored either. A session that shares the file keeps its bytes.
#[tokio::test]
async fn what_was_deleted_isnt_brought_back_by_its_file() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        fill(&engine, "a").await;
        fill(&engine, "b").await;
        let delete = LiveEdit { deleted_at: Some(Some(NOW)), ..LiveEdit::new(session_id("s-a")) };
        workspace.write_live(&[LiveWrite::Edit(Box::new(delete))], NOW).await.unwrap();
        let forget = async || workspace.forget_deleted(NOW..Micros(NOW.0 + 1), NOW).await.unwrap();
        assert_eq!(forget().await, [session_id("s-a")]);
        assert_eq!(forget().await, []);
        let left = async || {
            let mut left = Vec::new();
            for table in
                ["session", "source", "session_source", "message", "record_chunk", "run", "session_blob", "blob"]
            {
                left.push(count(&engine, table).await);
            }
            left
        };
        // One row of each kind for `b`, and two blobs.
        let expected = [2, 2, 2, 1, 1, 1, 2, 2];
        assert_eq!(left().await, expected);
        let query = SearchQuery { text: "zyxazyx".to_owned(), limit: 5, ..SearchQuery::default() };
        assert_eq!(workspace.search(&query).await.unwrap().total, 0);
        // The file grows.
        let mut more = message("a", "a-2", "needle zyxazyx");
        more.records = vec![record("a", 2, 2)];
        let mut write = batch(vec![session("a")], vec![more]);
        write.source = Some(bytes("a", 2, b"23"));
        workspace.write_batch(write).await.unwrap();
        assert_eq!(left().await, expected);
        assert_eq!(workspace.search(&query).await.unwrap().total, 0);
        let restore = LiveEdit { deleted_at: Some(None), ..LiveEdit::new(session_id("s-a")) };
        let restored = workspace.write_live(&[LiveWrite::Edit(Box::new(restore))], NOW).await.unwrap();
        assert!(matches!(restored.answers.as_slice(), [Err(Refusal::NoSession)]), "{:?}", restored.answers);
        let page = workspace.sessions(&SessionFilter::new(NOW, 10)).await.unwrap();
        assert_eq!(page.items.iter().map(|session| session.id.as_str()).collect::<Vec<_>>(), ["s-b"]);
    }
}

/// Each table that names a session has no row of one that was deleted permanently.
#[tokio::test]
async fn no_table_is_forgotten() {
    // The feed says that it was forgotten. Names of posted sessions are kept as hashes.
    const KEPT: [&str; 1] = ["feed"];
    let engine = engines().await.remove(0);
    let Database::Sqlite(file) = &engine.database else { return };
    let pool = sqlx::SqlitePool::connect_with(sqlx::sqlite::SqliteConnectOptions::new().filename(file)).await.unwrap();
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT t.name FROM sqlite_schema t WHERE t.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) k \
         WHERE k.name IN ('session_rid', 'session_id')) ORDER BY t.name",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    let forget = include_str!("../../src/forget.rs");
    let missing = |table: &&String| {
        !KEPT.contains(&table.as_str())
            && !forget.contains(&format!("\"DELETE FROM {table} WHERE workspace_id = $1 AND session_"))
    };
    assert_eq!(tables.iter().filter(missing).collect::<Vec<_>>(), Vec::<&String>::new(), "add them to `forget.rs`");
}
