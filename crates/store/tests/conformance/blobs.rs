//! Files by their content: kept once, read by those who brought them or whose sessions refer to them.

use crate::support::{NOW, batch, engines, session, session_id};
use store::{Blob, LiveWrite, NewSession};

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
        create_hash: vec![1],
    }))
}

#[tokio::test]
async fn a_blob_is_kept_once_and_belongs_to_those_who_brought_it() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        workspace.write_batch(batch(vec![session("a")], Vec::new())).await.unwrap();
        let put = async |key: Option<&str>, mime: &str| {
            workspace.put_blob(DIGEST, mime, b"\x00\xff bytes".to_vec(), key, NOW).await.unwrap()
        };
        assert!(put(Some("bot"), "image/png").await);
        assert!(!put(Some("bot"), "text/plain").await);
        assert!(!put(None, "text/plain").await);
        let blob = Blob { mime: "image/png".to_owned(), bytes: b"\x00\xff bytes".to_vec() };
        assert_eq!(workspace.blob(DIGEST).await.unwrap(), Some(blob));
        assert_eq!(workspace.blob_head(DIGEST).await.unwrap(), Some(("image/png".to_owned(), 8)));
        assert_eq!(workspace.blob_head("none").await.unwrap(), None);
        let reads = async |key: &str| workspace.key_reads_blob(DIGEST, key).await.unwrap();
        assert_eq!((reads("bot").await, reads("other").await), (true, false));
        workspace.write_live(&[owned("s1", "other"), owned("s2", "third")], NOW).await.unwrap();
        // What a key didn't upload, it can't attach; a person can.
        workspace.attach_blob(&session_id("s1"), DIGEST, Some("other")).await.unwrap();
        assert!(!reads("other").await);
        workspace.attach_blob(&session_id("s1"), DIGEST, None).await.unwrap();
        workspace.attach_blob(&session_id("s1"), DIGEST, None).await.unwrap();
        workspace.attach_blob(&session_id("s1"), "missing", None).await.unwrap();
        assert_eq!((reads("other").await, reads("third").await), (true, false));
    }
}
