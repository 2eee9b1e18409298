//! Content that isn't what was written any more, as its checksum tells. `SQLite` is read only then; `PostgreSQL`, which
//! has tools of its own, is written on.

use crate::support::{Engine, NOW, batch, bytes, engines, message, read, session, session_id, source_id, upload};
use store::{Batch, Database, MessageQuery, Range, StoreError};

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
        let (blob, _) = upload(&engine.workspace, b"rye", "text/plain", None, NOW).await;
        change(&engine, "UPDATE blob SET data = SUBSTR(data, 2)").await;
        for range in [0..3, 1..2] {
            let error = read(&engine.workspace, &blob, range).await.unwrap_err();
            assert!(matches!(error, StoreError::DamagedBlob(_)), "{error:?}");
        }
        noticed(&engine, &format!("the bytes of blob `sha256:{}` are damaged", blob.sha256)).await;
    }
}

/// A piece is found damaged by its checksum, one of an earlier version, which has none, when the whole file was read;
/// one that is gone, at once.
#[tokio::test]
async fn a_damaged_piece_is_an_error() {
    for damage in [
        "UPDATE blob_piece SET crc = crc - 1 WHERE start_at = 1048576",
        "UPDATE blob_piece SET crc = NULL, data = (SELECT data FROM blob_piece WHERE start_at = 0) WHERE start_at = 1048576",
        "DELETE FROM blob_piece WHERE start_at = 1048576",
    ] {
        for engine in engines().await {
            let workspace = &engine.workspace;
            let bytes: Vec<u8> = (0..3_000_000_u32).map(|n| (n / 1000) as u8).collect();
            let (blob, _) = upload(workspace, &bytes, "text/plain", None, NOW).await;
            change(&engine, damage).await;
            let mut whole = workspace.read_blob(&blob, 0..blob.size);
            let mut sound = 0;
            let error = loop {
                match whole.next_part().await {
                    Ok(part) => sound += part.unwrap().len(),
                    Err(error) => break error,
                }
            };
            assert!(matches!(error, StoreError::DamagedBlob(_)), "{error:?}");
            let late = damage.contains("NULL");
            assert_eq!(sound, if late { 2 << 20 } else { 1 << 20 });
            assert_eq!(read(workspace, &blob, 2_000_000..2_100_000).await.is_err(), !late);
            assert_eq!(read(workspace, &blob, 2_999_000..u64::MAX).await.unwrap(), bytes[2_999_000..]);
            let finding = format!("the bytes of blob `sha256:{}` are damaged", blob.sha256);
            assert_eq!(workspace.damaged_content().await.unwrap(), [finding.as_str()]);
            noticed(&engine, &finding).await;
        }
    }
}
