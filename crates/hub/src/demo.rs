//! The built-in example: sessions of our own making that show every message type there is.

mod agent;

pub use agent::answer;

use crate::basics::{clock, hex, problem};
use crate::context::Hub;
use crate::imports::batch::{message, session};
use api::Problem;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::{Draft, Micros, Provenance, Run, SessionFacts};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use store::{Batch, NewBlob, RunUpsert, Sight};

const EXAMPLE: &str = include_str!("../../../fixtures/demo.json");

/// One session of the example. Times are seconds before now.
#[derive(Debug, Deserialize)]
struct Example {
    key: String,
    facts: SessionFacts,
    seconds_ago: i64,
    messages: Vec<ExampleMessage>,
    runs: Vec<Run>,
    #[serde(default)]
    blobs: Vec<ExampleBlob>,
}

/// A file's bytes; messages name it by its SHA-256.
#[derive(Debug, Deserialize)]
struct ExampleBlob {
    mime: String,
    base64: String,
}

/// `at` is seconds after the session's start; the draft's own times are ignored.
#[derive(Debug, Deserialize)]
struct ExampleMessage {
    at: i64,
    #[serde(flatten)]
    draft: Draft,
}

/// Stores the example. Loading it again changes nothing but its times.
pub async fn load(hub: &Hub) -> Result<(), Problem> {
    let examples: Vec<Example> = serde_json::from_str(EXAMPLE).map_err(|error| {
        tracing::error!(%error, "the example can't be read");
        Problem::internal()
    })?;
    let now = clock::now();
    for example in examples {
        let written = hub.workspace.write_batch(batch(example, now)).await.map_err(problem)?;
        hub.feed.ring_with(written.pos, written.has_deliveries);
    }
    let found = hub.workspace.find_sessions(agent::SESSION, &Sight::All, 1, now).await.map_err(problem)?;
    if let Some(session) = found.into_iter().next() {
        agent::register(hub, session.id).await?;
    }
    Ok(())
}

fn batch(example: Example, now: Micros) -> Batch {
    let start = now.0 - example.seconds_ago * Micros::SECOND;
    let at = |seconds: i64| Micros(start + seconds * Micros::SECOND);
    let last = example.messages.last().map_or(0, |m| m.at);
    let facts = SessionFacts { first_at: Some(at(0)), last_at: Some(at(last)), ..example.facts };
    // Messages without another author count as read by a reader.
    let by = |provenance| if provenance == Provenance::Reader { Provenance::Ourselves } else { provenance };
    let draft = |m: ExampleMessage| Draft { created_at: at(m.at), provenance: by(m.draft.provenance), ..m.draft };
    let blob = |blob: ExampleBlob| {
        let bytes = STANDARD.decode(blob.base64).ok()?;
        let sha256 = hex(&Sha256::digest(&bytes));
        Some(NewBlob { session_key: example.key.clone(), sha256, mime: blob.mime, bytes })
    };
    let run = |run: Run| {
        let shift = |t: Micros| Micros(start + t.0);
        let run = Run { started_at: shift(run.started_at), ended_at: run.ended_at.map(shift), ..run };
        RunUpsert { session_key: example.key.clone(), run, spent: Vec::new() }
    };
    Batch {
        sessions: vec![session(&example.key, "demo", facts)],
        messages: example.messages.into_iter().map(|m| message(&example.key, draft(m), Vec::new())).collect(),
        runs: example.runs.into_iter().map(run).collect(),
        blobs: example.blobs.into_iter().filter_map(blob).collect(),
        now,
        ..Batch::default()
    }
}
