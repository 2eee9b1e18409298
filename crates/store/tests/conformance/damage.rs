//! Content that isn't what was written any more, as its checksum tells. `SQLite` is read only then; `PostgreSQL`, which has
//! tools of its own, is written on.

use crate::support::{Engine, NOW, batch, bytes, engines, message, session, session_id, source_id};
use store::{Batch, Database, MessageQuery, Range, StoreError};

const DIGEST: &str = "5c48a9a21b2a1ee1b6a3e1e5b8a3a3d1c6e5f4b3a2918070605040302010fffe";

/// Changes what is stored, behind the store's back.
async fn change(engine: &Engine, sql: &'static str) {
    match &engine.database {
        Database::Sqlite(file) => {
            let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
            let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
            assert_eq!(sqlx::query(sql).execute(&pool).await.unwrap().rows_affected(), 1);
            pool.close().await;
        }
        Database::Postgres(url) => {
            let pool = sqlx::PgPool::connect(url).await.unwrap();
            assert_eq!(sqlx::query(sql).execute(&pool).await.unwrap().rows_affected(), 1);
            pool.close().await;
        }
    }
}

/// Damage was noticed: what follows from that on each engine.
async fn noticed(engine: &Engine, finding: &str) {
    let is_sqlite = matches!(engine.database, Database::Sqlite(_));
    let condition = engine.store.condition().borrow().clone();
    assert_eq!(condition.damage.as_deref(), is_sqlite.then_some(finding));
    let written = engine.workspace.write_batch(batch(vec![session("b")], vec![message("b", "m9", "on")])).await;
    match written {
        Err(StoreError::Protected(found)) => assert!(is_sqlite && found == finding, "{found}"),
        written => assert!(!is_sqlite && written.is_ok(), "{written:?}"),
    }
}

#[tokio::test]
async fn a_note_stands_in_place_of_a_damaged_message() {
    for engine in engines().await {
        let messages = ["one", "two", "three"].map(|words| message("a", words, words)).to_vec();
        engine.workspace.write_batch(batch(vec![session("a")], messages)).await.unwrap();
        change(&engine, "UPDATE message SET body = (SELECT body FROM message WHERE seq = 1) WHERE seq = 2").await;
        let all = MessageQuery::new(Range::Last(10));
        let read = engine.workspace.messages(&session_id("s-a"), &all).await.unwrap();
        let words: Vec<_> = read.iter().map(|stored| stored.message.draft.content.clone()).collect();
        assert_eq!(words, ["one", "This message is damaged and can't be read", "three"]);
        assert_eq!(
            engine.workspace.damaged_content().await.unwrap(),
            ["message 2 of session s-a isn't what was written"]
        );
        noticed(&engine, "message 2 of session `s-a` is damaged").await;
    }
}

#[tokio::test]
async fn damaged_bytes_of_a_file_are_an_error() {
    for engine in engines().await {
        let source = Batch { source: Some(bytes("f", 0, b"rye\n")), ..Batch::default() };
        engine.workspace.write_batch(source).await.unwrap();
        let id = source_id("f");
        assert_eq!(engine.workspace.record(&id, 0, 4).await.unwrap().as_deref(), Some(&b"rye\n"[..]));
        change(&engine, "UPDATE record_chunk SET crc = crc - 1").await;
        let error = engine.workspace.record(&id, 0, 4).await.unwrap_err();
        assert!(matches!(error, StoreError::DamagedRecord { offset: 0, len: 4, .. }), "{error:?}");
        let error = engine.workspace.source_chunk(&id, 0).await.unwrap_err();
        assert!(matches!(error, StoreError::DamagedRecord { offset: 0, len: 4, .. }), "{error:?}");
        noticed(&engine, "4 bytes at 0 of source `f` are damaged").await;
    }
}

#[tokio::test]
async fn a_damaged_blob_is_an_error() {
    for engine in engines().await {
        engine.workspace.put_blob(DIGEST, "text/plain", b"rye".to_vec(), None, NOW).await.unwrap();
        let error = engine.workspace.blob(DIGEST).await.unwrap_err();
        assert!(matches!(error, StoreError::DamagedBlob(_)), "{error:?}");
        noticed(&engine, &format!("the bytes of blob `sha256:{DIGEST}` are damaged")).await;
    }
}
