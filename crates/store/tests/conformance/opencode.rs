//! A database that isn't ours, read while its owner writes to it.

use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use std::path::Path;
use store::foreign::ForeignError;
use store::opencode::OpenCode;

const SCHEMA: &str = "CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_updated INTEGER, data TEXT);
    INSERT INTO session VALUES ('ses_1', 'p', 'Mow', 1, 2);
    INSERT INTO message VALUES ('msg_1', 'ses_1', 1, 3, '{\"role\" : \"user\"}'), ('msg_2', 'ses_1', 2, 3, 'torn');";

async fn owner(path: &Path) -> SqliteConnection {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path).create_if_missing(true);
    options.journal_mode(sqlx::sqlite::SqliteJournalMode::Wal).connect().await.unwrap()
}

async fn run(owner: &mut SqliteConnection, sql: &'static str) {
    sqlx::raw_sql(sql).execute(owner).await.unwrap();
}

/// The session's document, and when it changed last.
async fn read(path: &Path) -> (String, i64) {
    let mut database = OpenCode::open(path).await.unwrap();
    let sessions = database.sessions().await.unwrap();
    assert_eq!(sessions.len(), 1);
    let mut document = Vec::new();
    database.export("ses_1", &mut document).await.unwrap();
    database.close().await;
    (String::from_utf8(document).unwrap(), sessions[0].updated_ms)
}

#[tokio::test]
async fn it_is_read_while_its_owner_writes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("opencode.db");
    let mut owner = owner(&path).await;
    run(&mut owner, SCHEMA).await;
    let first = "{\"info\":{\"id\":\"ses_1\",\"projectID\":\"p\",\"title\":\"Mow\",\"time\":{\"created\":1,\"updated\":2}},\n\
        \"messages\":[\n\
        {\"info\":{\"id\":\"msg_1\",\"sessionID\":\"ses_1\",\"role\" : \"user\"},\"parts\":[]},\n\
        {\"info\":{\"id\":\"msg_2\",\"sessionID\":\"ses_1\",\"data\":\"torn\"},\"parts\":[]}\n]}\n";
    assert_eq!(read(&path).await, (first.to_owned(), 3));

    // Uncommitted rows aren't seen, and nobody waits for anybody.
    run(&mut owner, "BEGIN IMMEDIATE; INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', 9, '{}')").await;
    assert_eq!(read(&path).await, (first.to_owned(), 3));
    run(&mut owner, "COMMIT").await;
    let (document, updated) = read(&path).await;
    let parts = "\"parts\":[{\"id\":\"prt_1\",\"messageID\":\"msg_1\",\"sessionID\":\"ses_1\"}]";
    assert_eq!((document, updated), (first.replacen("\"parts\":[]", parts, 1), 9));
}

#[tokio::test]
async fn a_locked_one_and_one_of_another_schema_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("opencode.db");
    let mut owner = owner(&path).await;
    run(&mut owner, SCHEMA).await;
    // Before anybody else opens it: with readers, the mode can't be changed.
    run(&mut owner, "PRAGMA journal_mode = DELETE; ALTER TABLE part RENAME COLUMN data TO body").await;
    let refused = OpenCode::open(&path).await.err().unwrap();
    assert!(matches!(refused, ForeignError::Schema("part", "data")), "{refused}");
    run(&mut owner, "BEGIN EXCLUSIVE; UPDATE session SET title = 'Rake'").await;
    let refused = OpenCode::open(&path).await.err().unwrap();
    assert!(matches!(refused, ForeignError::Locked), "{refused}");
    run(&mut owner, "COMMIT").await;
    owner.close().await.unwrap();
    std::fs::write(&path, "no database").unwrap();
    assert!(matches!(OpenCode::open(&path).await.err(), Some(ForeignError::Sqlite(_))));
}

#[tokio::test]
async fn only_plain_tables_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("opencode.db");
    let mut owner = owner(&path).await;
    run(&mut owner, SCHEMA).await;
    run(
        &mut owner,
        "DROP TABLE part; CREATE VIEW part AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
         SELECT i AS id, 'msg_1' AS message_id, 'ses_1' AS session_id, i AS time_updated, '{}' AS data FROM n",
    )
    .await;
    let refused = OpenCode::open(&path).await.err().unwrap();
    assert!(matches!(refused, ForeignError::NotPlain("part")), "{refused}");
    run(&mut owner, "DROP VIEW part; CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_updated INTEGER, data TEXT)").await;
    run(&mut owner, "INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', 9, zeroblob(70000000))").await;
    let mut database = OpenCode::open(&path).await.unwrap();
    let refused = database.export("ses_1", &mut Vec::new()).await.unwrap_err();
    assert!(matches!(refused, ForeignError::Cell("part")), "{refused}");
}
