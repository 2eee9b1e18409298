//! Several servers on one `PostgreSQL` database: each tells the others of its commits, and hears of theirs.
//!
//! A ring carries nothing and may be lost: a look every second finds what it would have told.

use crate::context::feed::Feed;
use crate::context::writer::Waiters;
use std::time::Duration;
use store::{Bell, Credentials, StoreError, Workspace};
use tokio::sync::watch;

/// Commits are told no more often than this.
const RING_EVERY: Duration = Duration::from_millis(10);
const LOOK: Duration = Duration::from_secs(1);
/// Rows per read.
const PAGE: u32 = 500;

/// Tells of our commits, after them and on a connection of its own: within a transaction a ring would hold up all
/// others.
pub async fn tell(feed: Feed, workspace: Workspace) {
    let mut own = feed.own();
    while own.changed().await.is_ok() {
        own.borrow_and_update();
        if let Err(error) = workspace.ring().await {
            tracing::warn!(%error, "other servers hear of this within a second");
        }
        tokio::time::sleep(RING_EVERY).await;
    }
}

/// Hears of others' commits, and of what they revoked.
pub async fn hear(feed: Feed, waiters: Waiters, workspace: Workspace, revoked: watch::Sender<u64>) {
    let mut bell: Option<Bell> = None;
    let (mut known, mut heard) = (None, feed.pos());
    loop {
        if bell.is_none() {
            bell = workspace.bell().await.inspect_err(|error| tracing::warn!(%error, "no doorbell")).ok();
        }
        // Whatever it says, even that it broke: something may have changed.
        let rung = async {
            match &mut bell {
                Some(bell) => bell.rung().await,
                None => std::future::pending().await,
            }
        };
        if tokio::time::timeout(LOOK, rung).await.is_ok_and(|rung| rung.is_err()) {
            bell = None;
        }
        if let Err(error) = look(&feed, &workspace, &revoked, &mut known).await {
            tracing::warn!(%error, "the database can't be read");
            tokio::time::sleep(LOOK).await;
        }
        if let Err(error) = wake(&mut heard, &feed, &waiters, &workspace).await {
            tracing::warn!(%error, "agents that wait here hear of this within a second");
        }
    }
}

/// Wakes agents that wait here for what was written elsewhere. `pos` is a place of our own: our commits may have
/// brought the feed past one of another server that nobody here was told of.
async fn wake(pos: &mut i64, feed: &Feed, waiters: &Waiters, workspace: &Workspace) -> Result<(), StoreError> {
    let now = feed.pos();
    // A new waiter first reads what is already there.
    if waiters.is_empty() {
        *pos = now;
    }
    while *pos < now {
        let rows = workspace.feed_after(*pos, PAGE).await?;
        for entry in &rows {
            waiters.wake(&entry.row.session_id);
        }
        *pos = rows.last().map_or(now, |last| last.row.pos);
    }
    Ok(())
}

async fn look(
    feed: &Feed,
    workspace: &Workspace,
    revoked: &watch::Sender<u64>,
    known: &mut Option<Credentials>,
) -> Result<(), StoreError> {
    feed.heard(workspace.feed_pos().await?);
    let credentials = workspace.credentials().await?;
    if known.replace(credentials).is_some_and(|before| before != credentials) {
        revoked.send_modify(|count| *count += 1);
    }
    Ok(())
}
