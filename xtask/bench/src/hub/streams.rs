//! Event streams: how soon they tell of a message, and what many of them cost.
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context, Result};
use serde_json::Value;
use tokio::{
    sync::{Semaphore, mpsc, watch},
    task::JoinSet,
    time::{Instant, sleep, sleep_until, timeout},
};

use super::client::{Connection, Target, events};
use crate::{
    program::Server,
    table::{Budget, Figure},
};

/// Streams that are opened at a time.
const OPENING: usize = 64;
/// Messages that are told to all of them.
const ROUNDS: usize = 30;
/// Messages a second where one stream listens.
const PER_SECOND: u32 = 200;
/// An event that takes longer is lost.
const PATIENCE: Duration = Duration::from_secs(10);

/// Milliseconds from a post to its event, of one session.
pub async fn post_to_event(server: &Server, target: &Target, length: Duration) -> Result<Vec<f64>> {
    let mut stream = Connection::open(&target.address).await?;
    stream.listen(&events(&target.address, server.key())).await?;
    let (tell, mut told) = mpsc::unbounded_channel();
    let listening = tokio::spawn(async move {
        while let Ok(line) = stream.line().await {
            let Some(data) = line.strip_prefix("data:") else { continue };
            let Ok(event) = serde_json::from_str::<Value>(data) else { continue };
            if let (Some(from), Some(to)) = (event["from_seq"].as_i64(), event["to_seq"].as_i64()) {
                let _ = tell.send((from..=to, Instant::now()));
            }
        }
    });
    let mut connection = Connection::open(&target.address).await?;
    let (mut due, end) = (Instant::now(), Instant::now() + length);
    let mut times = Vec::new();
    while due < end {
        sleep_until(due).await;
        let request = target.message();
        let start = Instant::now();
        let answer: Value = serde_json::from_slice(&connection.send(&request).await?)?;
        let seq = answer["seq"].as_i64().context("an answer without `seq`")?;
        let arrived = async {
            while let Some((range, at)) = told.recv().await {
                if range.contains(&seq) {
                    return Some(at);
                }
            }
            None
        };
        let arrived = timeout(PATIENCE, arrived).await?.context("the stream ended")?;
        times.push((arrived - start).as_secs_f64() * 1000.0);
        due += Duration::from_secs(1) / PER_SECOND;
    }
    listening.abort();
    Ok(times)
}

/// Measures the memory of so many open streams, and how soon a message has reached all of them.
pub async fn measure(server: &Server, count: usize, figures: &mut Vec<Figure>) -> Result<()> {
    let target = Target::new(server, 1).await?;
    let mut poster = Connection::open(&target.address).await?;
    poster.send(&target.message()).await?;
    let before = server.rss();
    let request: Arc<str> = events(&target.address, server.key()).into();
    let begun = watch::Sender::new(Instant::now());
    let times: Arc<Mutex<Vec<f64>>> = Arc::default();
    let opening = Arc::new(Semaphore::new(OPENING));
    let (ready, mut readies) = mpsc::channel(OPENING);
    let mut streams = JoinSet::new();
    let start = Instant::now();
    for _ in 0..count {
        let (address, request, opening) = (target.address.clone(), request.clone(), opening.clone());
        let (begun, times, ready) = (begun.subscribe(), times.clone(), ready.clone());
        streams.spawn(async move {
            let permit = opening.acquire().await?;
            let mut stream = Connection::open(&address).await?;
            stream.listen(&request).await?;
            drop(permit);
            ready.send(()).await?;
            drop(ready);
            loop {
                if stream.line().await? == "event: feed" {
                    let took = begun.borrow().elapsed().as_secs_f64() * 1000.0;
                    times.lock().unwrap_or_else(PoisonError::into_inner).push(took);
                }
            }
            #[expect(unreachable_code, reason = "names the type of the errors")]
            Ok::<(), anyhow::Error>(())
        });
    }
    drop(ready);
    for _ in 0..count {
        readies.recv().await.context("a stream could not be opened")?;
    }
    let opened = start.elapsed().as_secs_f64();
    // Memory that is freed after opening isn't part of a stream's.
    sleep(Duration::from_secs(2)).await;
    let each = server.rss().saturating_sub(before) as f64 / count as f64 / 1024.0;

    let (mut all, mut last) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        begun.send_replace(Instant::now());
        poster.send(&target.message()).await?;
        let arrived = async {
            while times.lock().unwrap_or_else(PoisonError::into_inner).len() < count {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(PATIENCE, arrived).await.context("not all streams were told")?;
        let round = std::mem::take(&mut *times.lock().unwrap_or_else(PoisonError::into_inner));
        last.push(round.iter().copied().fold(0.0, f64::max));
        all.extend(round);
        sleep(Duration::from_millis(100)).await;
    }
    streams.abort_all();
    let name = |what: &str| format!("{count} event streams: {what}");
    figures.push(Figure::budgeted(10, name("memory of each"), "KiB", vec![each], Budget::AtMost(24.0)));
    figures.push(Figure::budgeted(10, name("all opened"), "s", vec![opened], Budget::AtMost(5.0)));
    let budget = Budget::Percentiles(150.0, 150.0);
    figures.push(Figure::budgeted(10, name("a message is told"), "ms", all, budget));
    figures.push(Figure::plain(name("the last one is told"), "ms", last));
    Ok(())
}
