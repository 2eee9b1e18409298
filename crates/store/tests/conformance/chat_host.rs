//! The older chat host's database, read as it is.

use serde_json::{Value, json};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use std::path::Path;
use store::chat_host::ChatHost;
use store::foreign::ForeignError;

const SCHEMA: &str = "CREATE TABLE messages (id TEXT, chat_jid TEXT, sender TEXT, sender_name TEXT, content TEXT, \
    timestamp TEXT, is_from_me INTEGER, message_type TEXT DEFAULT 'user', metadata JSON, PRIMARY KEY (id, chat_jid));
    CREATE TABLE chats (jid TEXT PRIMARY KEY, name TEXT);
    INSERT INTO chats VALUES ('a', 'The mill');
    INSERT INTO messages VALUES ('2', 'a', 'bot', 'Bot', 'b', '2026-01-01', 1, 'assistant', '{\"b\" : 1}'),
        ('1', 'a', 'ada', NULL, '{\"text\": 1}', '2026-01-01', 0, 'user', NULL), ('1', 'b', 'ada', 'Ada', 'c', '2025', 0, 'user', NULL);";

async fn owner(path: &Path) -> SqliteConnection {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path).create_if_missing(true);
    options.connect().await.unwrap()
}

async fn run(owner: &mut SqliteConnection, sql: &'static str) {
    sqlx::raw_sql(sql).execute(owner).await.unwrap();
}

async fn lines(path: &Path, jid: &str) -> Vec<Value> {
    let mut host = ChatHost::open(path).await.unwrap().unwrap();
    let mut lines = Vec::new();
    host.export(jid, &mut lines).await.unwrap();
    host.close().await;
    String::from_utf8(lines).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn a_chat_is_lines_in_the_order_of_its_rows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.db");
    let mut owner = owner(&path).await;
    run(&mut owner, SCHEMA).await;
    run(
        &mut owner,
        "ALTER TABLE messages ADD COLUMN reactions TEXT; UPDATE messages SET reactions = 'eyes' WHERE id = '2'",
    )
    .await;
    let row = |row: Value| json!({"chat_jid": "a", "row": row});
    let expected = [
        json!({"chat_jid": "a", "chat": {"jid": "a", "name": "The mill"}}),
        row(json!({"id": "2", "sender": "bot", "sender_name": "Bot", "content": "b", "timestamp": "2026-01-01",
            "is_from_me": 1, "message_type": "assistant", "metadata": "{\"b\" : 1}", "reactions": "eyes"})),
        row(json!({"id": "1", "sender": "ada", "content": "{\"text\": 1}", "timestamp": "2026-01-01", "is_from_me": 0,
            "message_type": "user"})),
    ];
    assert_eq!(lines(&path, "a").await, expected);
    let mut host = ChatHost::open(&path).await.unwrap().unwrap();
    assert_eq!(host.chats().await.unwrap(), ["a", "b"]);
    host.close().await;
}

#[tokio::test]
async fn another_one_a_locked_one_and_a_torn_one_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.db");
    let mut owner = owner(&path).await;
    run(&mut owner, "CREATE TABLE notes (id TEXT)").await;
    assert!(ChatHost::open(&path).await.unwrap().is_none());
    run(&mut owner, SCHEMA).await;
    run(&mut owner, "ALTER TABLE messages RENAME COLUMN timestamp TO at").await;
    let refused = ChatHost::open(&path).await.err().unwrap();
    assert!(matches!(refused, ForeignError::Schema("messages", "timestamp")), "{refused}");
    run(&mut owner, "BEGIN EXCLUSIVE; INSERT INTO notes VALUES (1)").await;
    let refused = ChatHost::open(&path).await.err();
    assert!(matches!(refused, Some(ForeignError::Locked)), "{refused:?}");
    run(&mut owner, "COMMIT").await;
    owner.close().await.unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..2000]).unwrap();
    assert!(matches!(ChatHost::open(&path).await.err(), Some(ForeignError::Sqlite(_))));
}
