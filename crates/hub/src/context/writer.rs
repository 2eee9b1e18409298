//! The one who writes what agents and people post: what queued during the last commit becomes the next transaction.
//!
//! Nobody waits for others to come, and nobody's hanging up stops a write: the writer owns it.

use crate::basics::clock;
use crate::basics::problem::{problem, stopping};
use crate::context::feed::Feed;
use crate::context::message_waiters::MessageWaiters;
use crate::context::metrics::Metrics;
use api::{Problem, ProblemCode};
use futures::FutureExt as _;
use model::SessionId;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Condition, LiveDone, LiveWrite, NewSession, Refusal, StoreError, Workspace};
use tokio::sync::futures::Notified;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

/// Writes that may wait. More are refused at once: an honest "later" is better than a queue that nobody sees the end
/// of.
pub const QUEUE: usize = 4096;
/// Writes per transaction.
const BATCH: usize = 256;

/// A write's answer: what it came to and where the feed was then, or why nothing was stored.
pub type Written = Result<(LiveDone, i64), Failure>;

#[derive(Debug, Clone)]
pub enum Failure {
    Refused(Refusal),
    Problem(Problem),
}

struct Job {
    write: LiveWrite,
    answer: oneshot::Sender<Written>,
}

/// Cheap to clone; clones share state.
#[derive(Clone)]
pub struct Writer {
    jobs: mpsc::Sender<Job>,
    waiters: Waiters,
    condition: watch::Receiver<Condition>,
}

/// Agents that wait for what people write, by session.
#[derive(Clone, Default)]
pub struct Waiters(Arc<Mutex<HashMap<SessionId, Bell>>>);

#[derive(Default)]
struct Bell {
    rings: Arc<Notify>,
    /// How many listen.
    waiting: usize,
}

/// One who waits. Is told when a message for the session's agent was stored.
pub struct Waiter {
    waiters: Waiters,
    session: SessionId,
    rings: Arc<Notify>,
}

impl Waiters {
    pub fn of(&self, session: &SessionId) -> Waiter {
        let mut waiters = self.lock();
        let bell = waiters.entry(session.clone()).or_default();
        bell.waiting += 1;
        Waiter { waiters: self.clone(), session: session.clone(), rings: Arc::clone(&bell.rings) }
    }

    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    pub fn wake(&self, session: &SessionId) {
        if let Some(bell) = self.lock().get(session) {
            bell.rings.notify_waiters();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Bell>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiter {
    pub fn notified(&self) -> Notified<'_> {
        self.rings.notified()
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut waiters = self.waiters.lock();
        if let Some(bell) = waiters.get_mut(&self.session) {
            bell.waiting -= 1;
            if bell.waiting == 0 {
                waiters.remove(&self.session);
            }
        }
    }
}

impl Writer {
    /// Starts it. It ends when the hub does, after what was accepted.
    pub fn start(
        workspace: Workspace,
        feed: Feed,
        condition: watch::Receiver<Condition>,
        metrics: Metrics,
        messages: MessageWaiters,
        shutdown: CancellationToken,
    ) -> Self {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let waiters = Waiters::default();
        tokio::spawn(run(workspace, feed, (waiters.clone(), messages), queue, metrics, shutdown));
        Self { jobs, waiters, condition }
    }

    /// Returns the number of writes that wait for the next transaction.
    pub fn waiting(&self) -> usize {
        self.jobs.max_capacity() - self.jobs.capacity()
    }

    pub fn waiters(&self) -> &Waiters {
        &self.waiters
    }

    pub async fn write(&self, write: LiveWrite) -> Written {
        if adds_content(&write) && self.condition.borrow().disk_full {
            return Err(Failure::Problem(problem(StoreError::Full)));
        }
        let (answer, written) = oneshot::channel();
        self.jobs.try_send(Job { write, answer }).map_err(|error| Failure::Problem(refused(&error)))?;
        written.await.unwrap_or_else(|_| Err(Failure::Problem(unwritten())))
    }

    /// Makes a session. The same request again gets the session that it made.
    pub async fn create(&self, new: NewSession) -> Result<SessionId, Failure> {
        match self.write(LiveWrite::Create(Box::new(new))).await? {
            (LiveDone::Session { id, .. }, _) => Ok(id),
            _ => Err(Failure::Problem(Problem::internal())),
        }
    }
}

fn refused(error: &mpsc::error::TrySendError<Job>) -> Problem {
    match error {
        mpsc::error::TrySendError::Full(_) => {
            let problem = Problem::new(ProblemCode::Busy, "The server has too many writes to store");
            Problem { retry_after: Some(1), ..problem.hint("Send the request again; nothing was stored") }
        }
        mpsc::error::TrySendError::Closed(_) => unwritten(),
    }
}

fn unwritten() -> Problem {
    stopping("Send the request again with the same id")
}

async fn run(
    workspace: Workspace,
    feed: Feed,
    (waiters, messages): (Waiters, MessageWaiters),
    mut queue: mpsc::Receiver<Job>,
    metrics: Metrics,
    shutdown: CancellationToken,
) {
    let mut jobs = Vec::with_capacity(BATCH);
    loop {
        tokio::select! {
            biased;
            received = queue.recv_many(&mut jobs, BATCH) => if received == 0 { return },
            () = shutdown.cancelled(), if !queue.is_closed() => {
                // Accepted writes are still stored.
                queue.close();
                continue;
            }
        }
        let (writes, answers): (Vec<LiveWrite>, Vec<_>) = jobs.drain(..).map(|job| (job.write, job.answer)).unzip();
        let sessions: Vec<Option<SessionId>> = writes.iter().map(for_agent).collect();
        let began = Instant::now();
        let span = tracing::debug_span!("batch", writes = writes.len());
        let results = write_all(&workspace, &feed, &writes).instrument(span.clone()).await;
        // The messages' inputs are released before each reply is serialized.
        drop(writes);
        let outcomes: Vec<&str> = results.iter().map(outcome).collect();
        span.in_scope(|| metrics.count_batch(&outcomes, began.elapsed()));
        for ((result, answer), session) in results.into_iter().zip(answers).zip(sessions) {
            if let (Ok(_), Some(session)) = (&result, session) {
                waiters.wake(&session);
            }
            if let Ok((LiveDone::Changed { message, follow_up }, _)) = &result {
                messages.written(message, follow_up.as_deref());
            }
            // If the caller has disconnected, a retry gets the same reply.
            let _ = answer.send(result);
        }
    }
}

/// Returns the outcome of a write for the metrics.
fn outcome(written: &Written) -> &'static str {
    match written {
        Ok(_) => "stored",
        Err(Failure::Refused(_)) => "refused",
        Err(Failure::Problem(_)) => "failed",
    }
}

/// Does it take room? On a full disk what is left is for what makes room.
fn adds_content(write: &LiveWrite) -> bool {
    match write {
        LiveWrite::Create(_)
        | LiveWrite::Post(_)
        | LiveWrite::PostAll(_)
        | LiveWrite::Change(_)
        | LiveWrite::Once(..)
        | LiveWrite::Due(_)
        | LiveWrite::Begin(_) => true,
        LiveWrite::Edit(_) | LiveWrite::Take(_) | LiveWrite::EndRun(_) => false,
    }
}

/// The session whose agent may wait for this write.
fn for_agent(write: &LiveWrite) -> Option<SessionId> {
    match write {
        LiveWrite::Post(post) if post.queued => Some(post.session.clone()),
        LiveWrite::PostAll(posts) => posts.iter().find(|post| post.queued).map(|post| post.session.clone()),
        LiveWrite::Due(due) => due.prompt.as_ref().map(|(_, post)| post.session.clone()),
        LiveWrite::Change(change) | LiveWrite::Once(_, change) => Some(change.session.clone()),
        LiveWrite::Edit(edit) => Some(edit.session.clone()),
        _ => None,
    }
}

async fn write_all(workspace: &Workspace, feed: &Feed, writes: &[LiveWrite]) -> Vec<Written> {
    match write_batch(workspace, feed, writes).await {
        Ok(written) => written,
        // Written or not, nobody knows where the connection broke in between: whoever asks again with the same id is
        // told.
        Err(error) if writes.len() == 1 || error.is_everybodys() => {
            let problem = problem(error);
            writes.iter().map(|_| Err(Failure::Problem(problem.clone()))).collect()
        }
        // One of them is at fault: by themselves, each gets its own answer.
        Err(error) => {
            tracing::warn!(%error, writes = writes.len(), "a batch failed: writing one by one");
            let mut written = Vec::with_capacity(writes.len());
            for write in writes {
                let alone = write_batch(workspace, feed, std::slice::from_ref(write)).await;
                let alone = alone.map_err(|error| Failure::Problem(problem(error)));
                written.push(alone.and_then(|mut alone| alone.pop().unwrap_or_else(|| Err(lost()))));
            }
            written
        }
    }
}

async fn write_batch(workspace: &Workspace, feed: &Feed, writes: &[LiveWrite]) -> Result<Vec<Written>, StoreError> {
    // A rule looks at what others sent: should one panic, its transaction is rolled back, and the writer goes on.
    let writing = AssertUnwindSafe(workspace.write_live(writes, clock::now())).catch_unwind().await;
    let written = writing.unwrap_or_else(|_| Err(StoreError::Io(std::io::Error::other("a write panicked"))))?;
    feed.ring_with(written.pos, written.has_deliveries);
    let pos = written.pos;
    let answers = written.answers.into_iter();
    Ok(answers.map(|answer| answer.map(|done| (done, pos)).map_err(Failure::Refused)).collect())
}

fn lost() -> Failure {
    Failure::Problem(Problem::internal())
}
