//! Computation over content: on a bounded number of threads that serve nobody else.
//!
//! The time to compare, draw or search a text depends on its content, which anybody may have written, so no such work
//! runs where requests are served. There are as many threads for people as there are cores, and half as many for
//! agents, so that neither waits for the other. A job waits for a thread, and works, until its deadline; it is told
//! when nobody waits for it any more.

use crate::basics::problem::stopping;
use api::{Problem, ProblemCode};
use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// From the request for a job to the moment at which it is told to end.
const DEADLINE: Duration = Duration::from_secs(10);
/// After the deadline: time to end in. Then the answer is a refusal, whenever the job ends.
const GRACE: Duration = Duration::from_secs(5);
/// Jobs that may wait for each thread. More are refused at once.
const QUEUE: usize = 32;
/// Seconds after which a refused request may come back.
const RETRY: u32 = 2;

/// Priority of a job, by its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// A person, or a command of this machine.
    People,
    /// Agents' keys.
    Agents,
}

/// The threads of both lanes.
pub struct Compute {
    people: Threads,
    agents: Threads,
    shutdown: CancellationToken,
}

struct Threads {
    count: usize,
    free: Arc<Semaphore>,
    queue: Semaphore,
}

impl Threads {
    fn new(threads: usize) -> Self {
        let (free, queue) = (Semaphore::new(threads), Semaphore::new(threads * (QUEUE + 1)));
        Self { count: threads, free: Arc::new(free), queue }
    }
}

/// Use of the threads of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    pub threads: usize,
    pub busy: usize,
    /// Jobs that wait for a thread.
    pub waiting: usize,
}

/// A job that runs.
#[derive(Debug, Clone)]
pub struct Job {
    /// Nobody waits for it any more.
    gone: CancellationToken,
    shutdown: CancellationToken,
    until: Instant,
}

impl Job {
    /// Returns true if its deadline is over, or nobody waits for it: then it ends with what it has.
    pub fn is_over(&self) -> bool {
        self.gone.is_cancelled() || Instant::now() >= self.until
    }

    /// For a job of which a part is of no use.
    ///
    /// # Errors
    ///
    /// 503 once it is over.
    pub fn goes_on(&self) -> Result<(), Problem> {
        if self.is_over() { Err(over(&self.shutdown)) } else { Ok(()) }
    }
}

impl Compute {
    /// With threads by the number of cores. All jobs end with `shutdown`.
    pub fn new(shutdown: CancellationToken) -> Self {
        let cores = available_parallelism().map_or(1, NonZero::get);
        Self { people: Threads::new(cores), agents: Threads::new(cores.div_ceil(2)), shutdown }
    }

    /// Returns the current use of a lane.
    pub fn load(&self, lane: Lane) -> Load {
        let Threads { count, free, queue } = self.threads(lane);
        let busy = count.saturating_sub(free.available_permits());
        let admitted = (count * (QUEUE + 1)).saturating_sub(queue.available_permits());
        Load { threads: *count, busy, waiting: admitted.saturating_sub(busy) }
    }

    fn threads(&self, lane: Lane) -> &Threads {
        match lane {
            Lane::People => &self.people,
            Lane::Agents => &self.agents,
        }
    }

    /// Runs a job on a thread of its lane.
    ///
    /// # Errors
    ///
    /// 503 if too many wait already, none of its work is done in time, or the server ends; 500 if it panics.
    pub async fn run<T: Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce(&Job) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let threads = self.threads(lane);
        let _queued = threads.queue.try_acquire().map_err(|_| busy())?;
        let until = Instant::now() + DEADLINE;
        let free = Arc::clone(&threads.free).acquire_owned();
        let Ok(Ok(thread)) = timeout_at(until, free).await else { return Err(busy()) };
        let gone = self.shutdown.child_token();
        let job = Job { gone: gone.clone(), shutdown: self.shutdown.clone(), until };
        // Whoever waits for it drops this, with its answer or without.
        let _waits = gone.drop_guard();
        let working = tokio::task::spawn_blocking(move || {
            let _thread = thread;
            (!job.is_over()).then(|| work(&job))
        });
        match timeout_at(until + GRACE, working).await {
            Ok(Ok(done)) => done.ok_or_else(|| over(&self.shutdown)),
            Ok(Err(_)) => Err(Problem::internal()),
            Err(_) => Err(over(&self.shutdown)),
        }
    }
}

fn busy() -> Problem {
    let problem = Problem::new(ProblemCode::Busy, "The server is overloaded");
    Problem { retry_after: Some(RETRY), ..problem.hint("Send the request again; nothing was done") }
}

/// Why a job ended before it was done.
fn over(shutdown: &CancellationToken) -> Problem {
    if shutdown.is_cancelled() {
        return stopping("Send the request again in a moment; the server may be restarting");
    }
    let title = format!("The response takes more than {} seconds to compute", DEADLINE.as_secs());
    let problem = Problem::new(ProblemCode::TooSlow, title);
    Problem { retry_after: Some(RETRY), ..problem.hint("Request less data, or try again when the server is less busy") }
}
