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

/// Schemas that make reading a table run something are refused.
#[tokio::test]
async fn only_plain_tables_of_a_chat_host_are_read() {
    const VIEW: &str = "CREATE VIEW messages AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
        SELECT i AS id, 'a' AS chat_jid, '' AS sender, '' AS sender_name, '' AS content, '' AS timestamp, 0 AS is_from_me FROM n";
    const GENERATED: &str = "CREATE TABLE messages (id TEXT, chat_jid TEXT, sender TEXT, sender_name TEXT, \
        content TEXT, timestamp TEXT, is_from_me INTEGER, more TEXT AS (hex(zeroblob(1000000000))))";
    const CHATS: &str = "DROP TABLE chats; CREATE VIEW chats AS WITH RECURSIVE n(i) AS \
        (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS jid FROM n";
    for (number, (schema, table)) in [(VIEW, "messages"), (GENERATED, "messages"), (CHATS, "chats")].iter().enumerate()
    {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(format!("{number}.db"));
        let mut owner = owner(&path).await;
        if *table == "chats" {
            run(&mut owner, SCHEMA).await;
        }
        run(&mut owner, schema).await;
        let refused = ChatHost::open(&path).await.err();
        assert!(matches!(&refused, Some(ForeignError::NotPlain(name)) if name == table), "{refused:?}");
    }
}

#[tokio::test]
async fn a_long_cell_of_a_chat_host_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.db");
    let mut owner = owner(&path).await;
    run(&mut owner, SCHEMA).await;
    run(&mut owner, "UPDATE messages SET content = zeroblob(70000000) WHERE chat_jid = 'b'").await;
    assert_eq!(lines(&path, "a").await.len(), 3);
    let mut host = ChatHost::open(&path).await.unwrap().unwrap();
    let refused = host.export("b", &mut Vec::new()).await.unwrap_err();
    assert!(matches!(refused, ForeignError::Cell("messages")), "{refused}");
}

/// A table of which each inner page names the next one hundreds of times, so that it has more rows than anybody could
/// count.
#[tokio::test]
async fn a_table_without_an_end_is_given_up() {
    const PAGE: usize = 4096;
    const LEVELS: u32 = 12;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.db");
    let mut owner = owner(&path).await;
    run(&mut owner, SCHEMA).await;
    run(&mut owner, "CREATE TABLE room (it BLOB); INSERT INTO room VALUES (zeroblob(200000))").await;
    let root: i64 = sqlx::query_scalar("SELECT rootpage FROM sqlite_schema WHERE name = 'messages'")
        .fetch_one(&mut owner)
        .await
        .unwrap();
    owner.close().await.unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let first = u32::try_from(bytes.len() / PAGE).unwrap() - LEVELS - 1;
    let at = |page: u32| (page as usize - 1) * PAGE;
    let leaf = bytes[at(u32::try_from(root).unwrap())..][..PAGE].to_vec();
    let pages: Vec<u32> = std::iter::once(u32::try_from(root).unwrap()).chain(first..first + LEVELS).collect();
    for pair in pages.windows(2) {
        let mut page = vec![0_u8; PAGE];
        let cells: usize = 400;
        page[0] = 5;
        page[3..5].copy_from_slice(&u16::try_from(cells).unwrap().to_be_bytes());
        page[5..7].copy_from_slice(&u16::try_from(PAGE - cells * 5).unwrap().to_be_bytes());
        page[8..12].copy_from_slice(&pair[1].to_be_bytes());
        for cell in 0..cells {
            let place = PAGE - (cell + 1) * 5;
            page[12 + cell * 2..][..2].copy_from_slice(&u16::try_from(place).unwrap().to_be_bytes());
            page[place..place + 4].copy_from_slice(&pair[1].to_be_bytes());
            page[place + 4] = 1;
        }
        bytes[at(pair[0])..][..PAGE].copy_from_slice(&page);
    }
    bytes[at(pages[pages.len() - 1])..][..PAGE].copy_from_slice(&leaf);
    std::fs::write(&path, bytes).unwrap();
    let mut host = ChatHost::open(&path).await.unwrap().unwrap();
    let refused = host.export("a", &mut Vec::new()).await.unwrap_err();
    assert!(matches!(refused, ForeignError::Endless), "{refused}");
}
