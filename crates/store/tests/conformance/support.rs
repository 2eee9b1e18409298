//! Databases to test on, and short ways to write batches.

use model::policy::Display;
use model::{CopyMarks, Draft, MessageId, Micros, RecordRef, Role, SessionFacts, SessionId, SourceId};
use sha2::{Digest as _, Sha256};
use std::sync::atomic::{AtomicU32, Ordering};
use store::{
    Batch, Blob, Database, MessageUpsert, RecordChunk, SessionUpsert, SourceBatch, Store, StoreError, Workspace,
};

/// A fresh database of its own.
pub struct Engine {
    pub database: Database,
    pub store: Store,
    pub workspace: Workspace,
    _dir: Option<tempfile::TempDir>,
}

pub async fn engines() -> Vec<Engine> {
    let dir = tempfile::tempdir().unwrap();
    let mut databases = vec![(Database::Sqlite(dir.path().join("data/verbatim.db")), Some(dir))];
    if let Some(database) = fresh_postgres().await {
        databases.push((database, None));
    }
    let mut engines = Vec::new();
    for (database, dir) in databases {
        let store = Store::open(&database).await.unwrap();
        let workspace = store.workspace("default");
        engines.push(Engine { database, store, workspace, _dir: dir });
    }
    engines
}

#[expect(clippy::disallowed_methods, reason = "the server to test on is named from outside")]
async fn fresh_postgres() -> Option<Database> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let url = std::env::var("VERBATIM_TEST_POSTGRES").ok()?;
    let name = format!("verbatim_test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let server = sqlx::PgPool::connect(&url).await.unwrap();
    for sql in [format!("DROP DATABASE IF EXISTS {name}"), format!("CREATE DATABASE {name}")] {
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&server).await.unwrap();
    }
    server.close().await;
    let (server, _) = url.rsplit_once('/').unwrap();
    Some(Database::Postgres(format!("{server}/{name}")))
}

/// Ten minutes after the hour in which the tests' messages are written.
pub const NOW: Micros = Micros(1_000_000_000_000_000);

/// Seconds before [`NOW`].
pub fn ago(seconds: i64) -> Micros {
    Micros(NOW.0 - seconds * Micros::SECOND)
}

pub fn session_id(text: &str) -> SessionId {
    SessionId::parse(text).unwrap()
}

pub fn message_id(text: &str) -> MessageId {
    MessageId::parse(text).unwrap()
}

pub fn source_id(text: &str) -> SourceId {
    SourceId::parse(text).unwrap()
}

/// A session with the id `s-<key>` in project `/work/demo`.
pub fn session(key: &str) -> SessionUpsert {
    SessionUpsert {
        key: key.to_owned(),
        agent: "demo".to_owned(),
        parent_key: None,
        facts: SessionFacts { project: Some("/work/demo".to_owned()), ..SessionFacts::default() },
        new_id: session_id(&format!("s-{key}")),
    }
}

/// A shown TEXT of the assistant that can be found by its words.
pub fn message(session_key: &str, id: &str, content: &str) -> MessageUpsert {
    by(Role::Assistant, session_key, id, content)
}

pub fn by(role: Role, session_key: &str, id: &str, content: &str) -> MessageUpsert {
    MessageUpsert {
        session_key: session_key.to_owned(),
        draft: Draft::text(message_id(id), role, "bot", content, ago(600)),
        display: Display::Shown,
        records: Vec::new(),
        search_text: Some(content.to_owned()),
        remembered: false,
        files: Vec::new(),
        marks: CopyMarks::default(),
    }
}

pub fn batch(sessions: Vec<SessionUpsert>, messages: Vec<MessageUpsert>) -> Batch {
    Batch { sessions, messages, now: NOW, ..Batch::default() }
}

/// Bytes that follow the first `offset` ones of a source.
pub fn bytes(id: &str, offset: u64, bytes: &[u8]) -> SourceBatch {
    SourceBatch {
        id: source_id(id),
        path: format!("/home/ada/{id}.jsonl"),
        reader: "demo".to_owned(),
        reader_version: 1,
        append: vec![RecordChunk { offset, bytes: bytes.to_vec() }],
        size: offset + bytes.len() as u64,
        sha256: format!("{:064x}", offset + bytes.len() as u64),
        modified_at: Some(NOW),
        replace: false,
    }
}

/// SHA-256, in hex.
pub fn digest(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Uploads a blob in one part.
pub async fn upload(workspace: &Workspace, bytes: &[u8], mime: &str, key: Option<&str>, at: Micros) -> (Blob, bool) {
    let mut upload = workspace.begin_upload("upload".to_owned(), key, at);
    upload.add(bytes).await.unwrap();
    upload.finish(mime, at).await.unwrap()
}

pub async fn read(workspace: &Workspace, blob: &Blob, range: std::ops::Range<u64>) -> Result<Vec<u8>, StoreError> {
    let mut reader = workspace.read_blob(blob, range);
    let mut bytes = Vec::new();
    while let Some(part) = reader.next_part().await? {
        assert!(part.len() <= 1 << 20);
        bytes.extend(part);
    }
    Ok(bytes)
}

/// How many rows a table has.
pub async fn count(engine: &Engine, table: &str) -> i64 {
    let sql = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
    match &engine.database {
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
    }
}

pub fn record(source: &str, offset: u64, len: u64) -> RecordRef {
    RecordRef { source: source_id(source), offset, len }
}
