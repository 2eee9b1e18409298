//! A posted message: what its metadata is normalised to, and how it is told and drawn.

use crate::html::{self, CARD, MARKDOWN};
use crate::{engine, inputs, support};
use api::messages::Entry;
use app::message_renderer::render_article;
use app::transcript::{Detail, TranscriptOptions};
use model::envelope::{self, edit_info, line_comments, normalize, review_info, todo_info};
use model::policy::{display, should_embed};
use model::sdk_format::format_for_sdk;
use model::{Body, Draft, Message, MessageId, Micros, Role, SessionId, summary};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

fn check(input: &[u8]) {
    let Ok(posted) = serde_json::from_slice::<Value>(input) else { return };
    let metadata = posted.get("metadata").cloned();
    let normal = normalize(metadata.clone());
    if let Ok(Some(normal)) = &normal {
        let mut again = normalize(Some(normal.clone().into())).unwrap().unwrap();
        // An explicit null keeps an envelope without a version, and is dropped.
        if normal.contains_key("message_type") && !normal.contains_key("version") {
            assert_eq!(again.shift_remove("version"), Some(json!(1)));
        }
        assert_eq!(again, *normal, "normalised once more it is another");
    }
    // The lenient reader returns the metadata as stored.
    let parsed = envelope::parse(metadata.as_ref());
    assert_eq!(parsed.problem.is_none(), normal.is_ok());
    let metadata = match normal {
        Ok(normal) => normal,
        Err(_) => metadata.and_then(|value| value.as_object().cloned()),
    };

    let role = posted.get("role").and_then(Value::as_str).and_then(Role::parse).unwrap_or(Role::Assistant);
    let content = posted.get("content").and_then(Value::as_str).unwrap_or_default();
    let draft = Draft { metadata, ..Draft::text(unique(), role, "bot", content, Micros(0)) };
    let body = Body::of(&draft);
    let metadata = draft.metadata.as_ref();
    edit_info(metadata, 0);
    todo_info(metadata);
    line_comments(metadata);
    review_info(metadata);
    should_embed(&draft);
    display(&draft);
    let line = summary::summary_as(&draft, &body);
    assert!(line.chars().count() <= summary::MAX_CHARS && !line.contains('\n'), "{line}");
    let markdown = model::markdown::to_markdown(&draft);
    let bytes = serde_json::to_vec(&draft).unwrap();
    // JSON is indented by its depth.
    assert!(markdown.len() <= 4_096 + 160 * bytes.len(), "{} bytes of {}", markdown.len(), bytes.len());
    assert_eq!(serde_json::from_slice::<Draft>(&bytes).unwrap(), draft);

    let session_id = SessionId::parse("s").unwrap();
    let message = Message {
        session_id: session_id.clone(),
        seq: 1,
        revision: 1,
        draft,
        records: Vec::new(),
        received_at: Micros(0),
    };
    format_for_sdk(std::slice::from_ref(&message));
    let entry = Entry::made_up(message);
    for (detail, dev) in [(Detail::Glance, false), (Detail::Whole, true)] {
        let options = TranscriptOptions { detail, dev, ..TranscriptOptions::new(session_id.clone(), 1, Micros(0)) };
        let card = render_article(&entry, &options);
        assert!(!card.contains("Could not draw"), "{card}");
        html::check(&card, &[MARKDOWN, CARD]);
    }
}

/// Drawings are kept by the ids of their messages.
fn unique() -> MessageId {
    static IDS: AtomicU64 = AtomicU64::new(0);
    MessageId::parse(format!("m{}", IDS.fetch_add(1, Ordering::Relaxed))).unwrap()
}

#[test]
fn envelope() {
    let mut own = inputs::messages();
    let vectors: Vec<Value> =
        serde_json::from_slice(&std::fs::read(support::fixture("vectors/normalize.json")).unwrap()).unwrap();
    own.extend(vectors.iter().map(|vector| json!({"role": "assistant", "content": "", "metadata": vector["input"]})));
    engine::run("envelope", inputs::bent(&own).prop_map(|posted| posted.to_string().into_bytes()).boxed(), check);
}
