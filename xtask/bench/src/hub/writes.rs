//! Messages that are posted, and the answers that say that they are durable.
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::Result;
use tokio::{sync::mpsc, task::JoinSet, time::Instant};

use super::client::{Connection, Target};

/// Answers in a second: each writer posts as soon as it is answered.
pub async fn throughput(target: &Target, writers: usize, length: Duration) -> Result<f64> {
    let warm = Instant::now() + Duration::from_secs(1);
    let end = warm + length;
    let answers = Arc::new(AtomicU64::new(0));
    let mut all = JoinSet::new();
    for _ in 0..writers {
        let mut connection = Connection::open(&target.address).await?;
        let (target, answers) = (target.of(&target.sessions), answers.clone());
        all.spawn(async move {
            loop {
                connection.send(&target.message()).await?;
                let now = Instant::now();
                if now >= end {
                    return Ok::<_, anyhow::Error>(());
                }
                if now >= warm {
                    answers.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }
    while let Some(writer) = all.join_next().await {
        writer??;
    }
    Ok(answers.load(Ordering::Relaxed) as f64 / length.as_secs_f64())
}

/// Milliseconds to each answer at so many messages a second, which come whether or not the ones before are answered: a
/// message that has to wait for its connection is late from when it should have gone.
pub async fn latency(target: &Target, writers: usize, per_second: u32, length: Duration) -> Result<Vec<f64>> {
    let start = Instant::now() + Duration::from_millis(100);
    let mut turns = Vec::with_capacity(writers);
    let mut all = JoinSet::new();
    for _ in 0..writers {
        let mut connection = Connection::open(&target.address).await?;
        let target = target.of(&target.sessions);
        let (turn, mut dues) = mpsc::unbounded_channel::<Instant>();
        turns.push(turn);
        all.spawn(async move {
            let mut times = Vec::new();
            while let Some(due) = dues.recv().await {
                connection.send(&target.message()).await?;
                times.push(due.elapsed().as_secs_f64() * 1000.0);
            }
            Ok::<_, anyhow::Error>(times)
        });
    }
    // A thread of its own: the runtime's timers are late by up to a millisecond.
    thread::spawn(move || {
        for (number, turn) in (0..).zip(turns.iter().cycle()) {
            let due = start + Duration::from_secs(1) / per_second * number;
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if due > start + length || turn.send(due).is_err() {
                return;
            }
        }
    });
    let mut times = Vec::new();
    while let Some(writer) = all.join_next().await {
        times.extend(writer??);
    }
    Ok(times)
}
