//! Bytes of sources, and blobs.

use crate::support::{NOW, batch, bytes, engines, message, read, record, session, session_id, source_id};
use model::Status;
use model::source::Source;
use store::{Batch, Blob, MessageQuery, NewBlob, Range, SearchQuery, StoreError};

fn append(source: store::SourceBatch) -> Batch {
    Batch { source: Some(source), now: NOW, ..Batch::default() }
}

/// Bytes that don't repeat.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 1_u32;
    std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    })
    .take(len)
    .collect()
}

#[tokio::test]
async fn sources_and_records_come_back_byte_for_byte() {
    for engine in engines().await {
        let file = noise(300_000);
        let (head, tail) = file.split_at(290_000);
        engine.workspace.write_batch(append(bytes("file", 0, head))).await.unwrap();
        engine.workspace.write_batch(append(bytes("file", 290_000, &tail[..1]))).await.unwrap();
        engine.workspace.write_batch(append(bytes("file", 290_001, &tail[1..]))).await.unwrap();
        let id = source_id("file");

        let mut exported = Vec::new();
        let mut next = Some(0);
        while let Some(offset) = next {
            let chunk = engine.workspace.source_chunk(&id, offset).await.unwrap().unwrap();
            exported.extend(chunk.bytes);
            next = chunk.next;
        }
        assert!(exported == file);

        for (offset, len) in [(0, 1), (0, 300_000), (131_071, 2), (131_072, 5), (289_999, 3), (299_999, 1), (7, 0)] {
            let found = engine.workspace.record(&id, offset, len).await.unwrap().unwrap();
            assert!(found == file[offset as usize..(offset + len) as usize], "{len} bytes at {offset}");
        }
        for (offset, len) in [(299_999, 2), (300_000, 1), (u64::MAX / 4, 1)] {
            assert_eq!(engine.workspace.record(&id, offset, len).await.unwrap(), None);
        }
        assert_eq!(engine.workspace.record(&source_id("none"), 0, 1).await.unwrap(), None);
        assert_eq!(engine.workspace.source_chunk(&source_id("none"), 0).await.unwrap(), None);
    }
}

#[tokio::test]
async fn bytes_that_do_not_follow_are_refused() {
    for engine in engines().await {
        engine.workspace.write_batch(append(bytes("file", 0, b"01234"))).await.unwrap();
        let error = engine.workspace.write_batch(append(bytes("file", 4, b"45"))).await.unwrap_err();
        assert!(matches!(error, StoreError::Gap { expected: 5, found: 4, .. }), "{error}");
        let mut short = bytes("file", 5, b"56");
        short.size = 9;
        assert!(matches!(engine.workspace.write_batch(append(short)).await, Err(StoreError::Gap { .. })));
        assert_eq!(engine.workspace.source(&source_id("file")).await.unwrap().unwrap().size, 5);
    }
}

#[tokio::test]
async fn a_rewritten_file_drops_what_it_held() {
    for engine in engines().await {
        let mut one = message("a", "m1", "one");
        one.records = vec![record("file", 0, 3)];
        let mut two = message("a", "m2", "two");
        two.records = vec![record("file", 3, 2)];
        let mut write = batch(vec![session("a")], vec![one.clone(), two, message("a", "m3", "of no file")]);
        write.source = Some(bytes("file", 0, b"01234"));
        engine.workspace.write_batch(write).await.unwrap();

        let mut again = bytes("file", 0, b"new");
        again.replace = true;
        again.modified_at = None;
        one.records = vec![record("file", 0, 3)];
        let mut write = batch(vec![session("a")], vec![one.clone()]);
        write.source = Some(again);
        engine.workspace.write_batch(write).await.unwrap();
        let stored = engine.workspace.message_at(&session_id("s-a"), 1).await.unwrap().unwrap();
        assert_eq!((stored.message.records, stored.message.revision), (one.records, 1));
        assert_eq!(engine.workspace.record(&source_id("file"), 0, 3).await.unwrap().unwrap(), b"new");
        assert_eq!(engine.workspace.session_sources(&session_id("s-a")).await.unwrap().len(), 1);
        let state = async || {
            let messages =
                engine.workspace.messages(&session_id("s-a"), &MessageQuery::new(Range::Last(9))).await.unwrap();
            messages.into_iter().map(|m| (m.message.draft.status, m.message.records.len())).collect::<Vec<_>>()
        };
        assert_eq!(state().await, [(Status::Final, 1), (Status::Final, 0), (Status::Final, 0)], "more may come");
        let written = engine.workspace.write_batch(append(bytes("file", 3, b"er"))).await.unwrap();
        assert_eq!(written.messages_changed, 1);
        assert_eq!(state().await, [(Status::Final, 1), (Status::Retracted, 0), (Status::Final, 0)]);
        let query = SearchQuery { text: "two".to_owned(), limit: 5, ..SearchQuery::default() };
        assert_eq!(engine.workspace.search(&query).await.unwrap().total, 0);
        let more = engine.workspace.write_batch(append(bytes("file", 5, b"!"))).await.unwrap();
        assert_eq!((more.messages_changed, more.pos), (0, written.pos));
    }
}

#[tokio::test]
async fn sources_are_found_by_id_path_and_session() {
    for engine in engines().await {
        let mut one = message("a", "m1", "one");
        one.records = vec![record("file", 0, 2)];
        let mut write = batch(vec![session("a"), session("silent")], vec![one]);
        write.source = Some(bytes("file", 0, b"01"));
        engine.workspace.write_batch(write).await.unwrap();
        engine.workspace.write_batch(append(bytes("empty", 0, b""))).await.unwrap();
        let file = Source {
            id: source_id("file"),
            path: "/home/ada/file.jsonl".to_owned(),
            size: 2,
            sha256: format!("{:064x}", 2),
            reader: "demo".to_owned(),
            reader_version: 1,
            modified_at: Some(NOW),
            imported_at: NOW,
        };
        let workspace = &engine.workspace;
        assert_eq!(workspace.source(&file.id).await.unwrap().as_ref(), Some(&file));
        assert_eq!(workspace.source_by_path(&file.path).await.unwrap().as_ref(), Some(&file));
        assert_eq!(workspace.source_by_path("/elsewhere").await.unwrap(), None);
        for id in ["s-a", "s-silent"] {
            assert_eq!(workspace.session_sources(&session_id(id)).await.unwrap(), std::slice::from_ref(&file), "{id}");
        }
        assert_eq!(workspace.sources().await.unwrap().len(), 2);
        let empty = workspace.source_chunk(&source_id("empty"), 0).await.unwrap().unwrap();
        assert_eq!((empty.bytes.len(), empty.next), (0, None));
    }
}

#[tokio::test]
async fn blobs_are_kept_once() {
    for engine in engines().await {
        let blob = NewBlob {
            session_key: "a".to_owned(),
            sha256: "26a66b061e8f48f39927c312f25293959729eee95978e2892d49d3512a5cc092".to_owned(),
            mime: "image/png".to_owned(),
            bytes: vec![0, 1, 255],
        };
        let mut write = batch(vec![session("a")], Vec::new());
        write.blobs = vec![blob.clone(), blob.clone()];
        engine.workspace.write_batch(write).await.unwrap();
        let found = engine.workspace.blob(&blob.sha256).await.unwrap().unwrap();
        assert_eq!(found, Blob { sha256: blob.sha256, mime: blob.mime, size: 3 });
        assert_eq!(read(&engine.workspace, &found, 0..3).await.unwrap(), blob.bytes);
        assert_eq!(engine.workspace.blob("none").await.unwrap(), None);
    }
}
