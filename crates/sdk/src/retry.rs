//! Retries temporary failures. Requests have their ids from the start, so that a retry never duplicates anything.

use crate::Error;
use api::Problem;
use backon::{ExponentialBuilder, Retryable as _, Sleeper};
use std::time::Duration;

/// Pauses grow from the first to the second value, with jitter, so that many clients don't retry at the same time.
const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(10);

/// How long a request is retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Until the sum of the pauses reaches this duration.
    For(Duration),
    /// Without limit, for requests that wait for people.
    Endless,
}

impl Patience {
    fn allows(self, waited: Duration) -> bool {
        match self {
            Self::For(longest) => waited <= longest,
            Self::Endless => true,
        }
    }
}

/// Returns true if the failure is temporary.
pub(crate) fn passes(problem: &Problem) -> bool {
    matches!(problem.status, 429 | 502 | 503 | 504) || (problem.status == 0 && problem.code == "transport")
}

pub(crate) fn pauses() -> ExponentialBuilder {
    ExponentialBuilder::default().with_min_delay(FIRST).with_max_delay(LONGEST).without_max_times().with_jitter()
}

/// Sends a request until it succeeds, or fails permanently.
pub(crate) async fn repeat<T, F>(patience: Patience, request: impl FnMut() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Problem>>,
{
    repeat_with(patience, request, tokio::time::sleep).await
}

async fn repeat_with<T, F>(patience: Patience, request: impl FnMut() -> F, sleep: impl Sleeper) -> Result<T, Error>
where
    F: Future<Output = Result<T, Problem>>,
{
    let mut waited = Duration::ZERO;
    let again = request.retry(pauses()).sleep(sleep).when(passes).adjust(move |problem, pause| {
        let pause = pause? + asked(problem);
        waited += pause;
        patience.allows(waited).then_some(pause)
    });
    Ok(again.await?)
}

/// Returns the pause that the server requests.
pub(crate) fn asked(problem: &Problem) -> Duration {
    Duration::from_secs(problem.retry_after.unwrap_or(0).into())
}

#[cfg(test)]
mod tests {
    use super::{Patience, repeat_with};
    use crate::Error;
    use api::Problem;
    use futures::executor::block_on;
    use std::future::ready;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    /// Returns the result of these failures in a row, and the pauses in whole seconds.
    fn tried(patience: Patience, failures: Vec<Problem>) -> (Result<&'static str, Error>, Vec<u64>) {
        let pauses: Arc<Mutex<Vec<u64>>> = Arc::default();
        let kept = pauses.clone();
        let mut failures = failures.into_iter();
        let request = || ready(failures.next().map_or(Ok("done"), Err));
        let sleep = move |pause: Duration| {
            kept.lock().unwrap().push(pause.as_secs());
            ready(())
        };
        let result = block_on(repeat_with(patience, request, sleep));
        let pauses = pauses.lock().unwrap().clone();
        (result, pauses)
    }

    fn refused(status: u16, retry_after: Option<u32>) -> Problem {
        Problem { retry_after, ..Problem::outside(status, "any", "Not now") }
    }

    #[test]
    fn what_fails_for_the_moment_is_repeated_and_nothing_else() {
        for problem in [Problem::transport("lost"), refused(429, None), refused(502, None), refused(504, None)] {
            let (result, pauses) = tried(Patience::Endless, vec![problem.clone(), problem]);
            assert_eq!((result.unwrap(), pauses), ("done", vec![0, 0]));
        }
        let unreadable = Problem::outside(0, "unreadable", "No JSON");
        for problem in [refused(400, None), refused(409, None), refused(500, Some(1)), unreadable] {
            let (result, pauses) = tried(Patience::Endless, vec![problem.clone()]);
            assert_eq!((result.unwrap_err().problem(), pauses), (Some(&problem), vec![]));
        }
    }

    #[test]
    fn the_server_says_when_to_come_back() {
        let (result, pauses) = tried(Patience::Endless, vec![refused(503, Some(7)), refused(429, Some(120))]);
        assert_eq!((result.unwrap(), pauses), ("done", vec![7, 120]));
        let hour = vec![refused(503, Some(3600))];
        let (result, pauses) = tried(Patience::For(Duration::from_mins(1)), hour);
        assert!(matches!(result, Err(Error::Busy(_))) && pauses.is_empty(), "who has no hour doesn't wait at all");
    }

    #[test]
    fn pauses_grow_to_ten_seconds_and_patience_ends() {
        let down = vec![Problem::transport("lost"); 40];
        let (result, pauses) = tried(Patience::For(Duration::from_mins(1)), down.clone());
        assert!(matches!(result, Err(Error::Unreachable(_))));
        assert!((6..=15).contains(&pauses.len()) && pauses.iter().sum::<u64>() <= 60, "{pauses:?}");
        let (result, pauses) = tried(Patience::Endless, down);
        assert_eq!((result.unwrap(), pauses.len()), ("done", 40));
        assert!(pauses[10..].iter().all(|pause| (10..=20).contains(pause)), "{pauses:?}");
    }
}
