//! How many requests that go on for long somebody has open: event streams, and waits for what people write.

use api::{Problem, ProblemCode};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// `Retry-After` of a caller with too many requests, in seconds.
const RETRY: u32 = 5;

/// Long requests by who sent them. Cheap to clone; clones share state.
#[derive(Clone, Default)]
pub struct LongRequests(Arc<Mutex<HashMap<String, usize>>>);

impl LongRequests {
    /// Takes one of `most` permits.
    ///
    /// # Errors
    ///
    /// 429 with this code if all are taken; `what` names the requests.
    pub fn take(&self, whose: &str, most: usize, code: ProblemCode, what: &str) -> Result<Permit, Problem> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = open.entry(whose.to_owned()).or_default();
        if *taken >= most {
            let problem = Problem::new(code, format!("The maximum of {most} open {what} is reached"));
            return Err(Problem { retry_after: Some(RETRY), ..problem.hint("Close some of them, or share one") });
        }
        *taken += 1;
        Ok(Permit { whose: whose.to_owned(), places: self.clone() })
    }
}

/// The right to one long request, given back when it is dropped.
pub struct Permit {
    whose: String,
    places: LongRequests,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut open = self.places.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = open.get_mut(&self.whose) {
            *taken -= 1;
            if *taken == 0 {
                open.remove(&self.whose);
            }
        }
    }
}
