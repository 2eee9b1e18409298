//! Files by their content: kept once, read by those who brought them or whose sessions refer to them.

use crate::support::{Engine, NOW, ago, batch, count, digest, engines, read, session, session_id, upload};
use store::{Blob, Database, LiveWrite, NewBlob, NewSession, Origin, Sight, Store};

/// SHA-256 of what is put there.
const DIGEST: &str = "b00c6e4be222eebfcf5b147c533f5935dff18a6278532db23013c5a76d03e8a3";

fn owned(id: &str, key_id: &str) -> LiveWrite {
    LiveWrite::Create(Box::new(NewSession {
        id: session_id(id),
        agent: "demo".to_owned(),
        key: id.to_owned(),
        parent_key: None,
        facts: model::SessionFacts::default(),
        key_id: Some(key_id.to_owned()),
        create_hash: Some(vec![1]),
        origin: Origin::Posts,
        machine: None,
    }))
}

#[tokio::test]
async fn a_blob_is_kept_once_and_belongs_to_those_who_brought_it() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        workspace.write_batch(batch(vec![session("a")], Vec::new())).await.unwrap();
        let blob = Blob { sha256: DIGEST.to_owned(), mime: "image/png".to_owned(), size: 8 };
        for (key, mime, new) in
            [(Some("bot"), "image/png", true), (Some("bot"), "text/plain", false), (None, "text/plain", false)]
        {
            assert_eq!(upload(workspace, b"\x00\xff bytes", mime, key, NOW).await, (blob.clone(), new));
        }
        assert_eq!(workspace.blob(DIGEST).await.unwrap().as_ref(), Some(&blob));
        assert_eq!(read(workspace, &blob, 0..8).await.unwrap(), b"\x00\xff bytes");
        assert_eq!(read(workspace, &blob, 1..4).await.unwrap(), b"\xff b");
        assert_eq!(workspace.blob("none").await.unwrap(), None);
        let reads = async |key: &str| workspace.sees_blob(DIGEST, &Sight::OfKey(key.into())).await.unwrap();
        assert_eq!((reads("bot").await, reads("other").await), (true, false));
        workspace.write_live(&[owned("s1", "other"), owned("s2", "third")], NOW).await.unwrap();
        // A key can't attach an upload of another one; a person can.
        workspace.attach_blob(&session_id("s1"), DIGEST, Some("other")).await.unwrap();
        assert!(!reads("other").await);
        workspace.attach_blob(&session_id("s1"), DIGEST, None).await.unwrap();
        workspace.attach_blob(&session_id("s1"), DIGEST, None).await.unwrap();
        workspace.attach_blob(&session_id("s1"), "missing", None).await.unwrap();
        assert_eq!((reads("other").await, reads("third").await), (true, false));
    }
}

/// Bytes of which no two pieces are the same.
fn many(len: usize) -> Vec<u8> {
    (0..len).map(|n| (n ^ (n >> 8) ^ (n >> 16)) as u8).collect()
}

/// Rows of uploads, blobs and pieces.
async fn rows(engine: &Engine) -> [i64; 3] {
    [count(engine, "blob_upload").await, count(engine, "blob").await, count(engine, "blob_piece").await]
}

#[tokio::test]
async fn a_large_blob_comes_and_goes_in_parts() {
    let bytes = many((5 << 20) / 2);
    for engine in engines().await {
        let workspace = &engine.workspace;
        let mut first = workspace.begin_upload("first".to_owned(), Some("bot"), NOW);
        for part in bytes.chunks(700_001) {
            first.add(part).await.unwrap();
            assert_eq!((count(&engine, "blob").await, workspace.blob("first").await.unwrap()), (0, None));
        }
        assert_eq!(first.size(), bytes.len() as u64);
        let blob = Blob { sha256: digest(&bytes), mime: "video/mp4".to_owned(), size: bytes.len() as u64 };
        assert_eq!(first.finish("video/mp4", NOW).await.unwrap(), (blob.clone(), true));
        assert_eq!(rows(&engine).await, [1, 1, 3]);
        assert_eq!(upload(workspace, &bytes, "text/plain", None, NOW).await, (blob.clone(), false));
        assert_eq!(rows(&engine).await, [2, 1, 3]);

        assert_eq!(workspace.blob(&blob.sha256).await.unwrap().as_ref(), Some(&blob));
        for range in [0..bytes.len(), 0..1, 1_048_575..1_048_577, 1_048_576..2_097_152, 7..2_100_000, 9..9] {
            let part = read(workspace, &blob, range.start as u64..range.end as u64).await.unwrap();
            assert!(part == bytes[range.clone()], "{range:?}");
        }
        assert_eq!(read(workspace, &blob, blob.size..u64::MAX).await.unwrap(), b"");
        assert_eq!(workspace.damaged_content().await.unwrap(), Vec::<String>::new());

        // Files in a transcript are stored likewise.
        let (other, key) = (many((2 << 20) + 1), "a".to_owned());
        let new =
            NewBlob { session_key: key, sha256: digest(&other), mime: "image/png".to_owned(), bytes: other.clone() };
        let write = || store::Batch { blobs: vec![new.clone()], ..batch(vec![session("a")], Vec::new()) };
        workspace.write_batch(write()).await.unwrap();
        workspace.write_batch(write()).await.unwrap();
        let read_in = workspace.blob(&new.sha256).await.unwrap().unwrap();
        assert!(read(workspace, &read_in, 0..read_in.size).await.unwrap() == other);
        assert_eq!(rows(&engine).await, [2, 2, 6]);

        assert_eq!(workspace.forget_uploads(ago(-1)).await.unwrap(), 1);
        assert_eq!(rows(&engine).await, [0, 1, 3]);
    }
}

/// Whoever goes leaves nothing; what the server's own end left is deleted as any other upload that nobody used.
#[tokio::test]
async fn an_upload_that_ends_early_leaves_nothing() {
    let bytes = many(3 << 20);
    for engine in engines().await {
        let begin = async |id: &str, at| {
            let mut upload = engine.workspace.begin_upload(id.to_owned(), None, at);
            upload.add(&bytes).await.unwrap();
            upload
        };
        let (given_up, cut_short, going_on) =
            (begin("1", NOW).await, begin("2", ago(100)).await, begin("3", NOW).await);
        assert_eq!(rows(&engine).await, [3, 0, 6]);
        std::mem::forget(cut_short);
        drop(given_up);
        while rows(&engine).await != [2, 0, 4] {
            tokio::task::yield_now().await;
        }
        assert_eq!(engine.workspace.forget_uploads(ago(50)).await.unwrap(), 0);
        assert_eq!(rows(&engine).await, [1, 0, 2]);
        let (blob, _) = going_on.finish("video/mp4", NOW).await.unwrap();
        assert!(read(&engine.workspace, &blob, 0..blob.size).await.unwrap() == bytes);
        assert_eq!(rows(&engine).await, [1, 1, 3]);
    }
}

/// Files that an earlier version stored in one row.
#[tokio::test]
async fn a_blob_that_was_whole_is_cut_into_pieces() {
    const BEFORE: &str = "DROP TABLE blob_piece; DROP INDEX blob_in_pieces; ALTER TABLE blob DROP COLUMN upload_id; \
        ALTER TABLE blob DROP COLUMN size; DELETE FROM _sqlx_migrations WHERE version = 23";
    const INSERT: &str = "INSERT INTO blob (workspace_id, sha256, mime, data) VALUES ('default', $1, 'text/plain', $2)";
    let lengths = [0, 1, 1 << 20, (1 << 20) + 1, 2 << 20, (5 << 20) / 2];
    for engine in engines().await {
        engine.store.close().await;
        match &engine.database {
            Database::Sqlite(file) => {
                let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
                let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
                sqlx::raw_sql(BEFORE).execute(&pool).await.unwrap();
                for bytes in lengths.map(many) {
                    sqlx::query(INSERT).bind(digest(&bytes)).bind(bytes).execute(&pool).await.unwrap();
                }
                pool.close().await;
            }
            Database::Postgres(url) => {
                let pool = sqlx::PgPool::connect(url).await.unwrap();
                sqlx::raw_sql(BEFORE).execute(&pool).await.unwrap();
                for bytes in lengths.map(many) {
                    sqlx::query(INSERT).bind(digest(&bytes)).bind(bytes).execute(&pool).await.unwrap();
                }
                pool.close().await;
            }
        }
        let store = Store::open(&engine.database).await.unwrap();
        let workspace = store.workspace("default");
        for bytes in lengths.map(many) {
            let blob = workspace.blob(&digest(&bytes)).await.unwrap().unwrap();
            assert_eq!((blob.size, blob.mime.as_str()), (bytes.len() as u64, "text/plain"));
            assert!(read(&workspace, &blob, 0..blob.size).await.unwrap() == bytes, "{}", bytes.len());
        }
        assert_eq!(rows(&engine).await, [0, 6, 2 + 2 + 3]);
    }
}
