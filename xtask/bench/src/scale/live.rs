//! From a message to its event.
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use super::transcripts::Transcript;
use crate::{
    hub::{
        client::{Connection, Target, events},
        streams,
    },
    program::Server,
};

const POSTING: Duration = Duration::from_secs(5);
/// Lines that are appended, and the time between two.
const LINES: usize = 200;
const PAUSE: Duration = Duration::from_millis(20);
/// An event that takes longer is lost.
const PATIENCE: Duration = Duration::from_secs(10);

/// Milliseconds from a post to its event, and from a line of a followed transcript to its event.
pub async fn measure(server: &Server, transcript: &mut Transcript) -> Result<(Vec<f64>, Vec<f64>)> {
    let target = Target::new(server, 1).await?;
    let posted = streams::post_to_event(server, &target, POSTING).await?;
    let mut stream = Connection::open(&target.address).await?;
    stream.listen(&events(&target.address, server.key())).await?;
    let mut last = 0;
    let mut appended = Vec::with_capacity(LINES);
    for _ in 0..LINES {
        sleep(PAUSE).await;
        let start = Instant::now();
        transcript.prompt("")?;
        transcript.flush()?;
        last = timeout(PATIENCE, message(&mut stream, last)).await.context("an appended line had no event")??;
        appended.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    Ok((posted, appended))
}

/// Waits for the event of messages behind `last`, and returns the number of the last one.
async fn message(stream: &mut Connection, last: i64) -> Result<i64> {
    loop {
        let Some(data) = stream.line().await?.strip_prefix("data:") else { continue };
        let event: Value = serde_json::from_str(data)?;
        if event["kind"] == "range"
            && let Some(to) = event["to_seq"].as_i64()
            && to > last
        {
            return Ok(to);
        }
    }
}
