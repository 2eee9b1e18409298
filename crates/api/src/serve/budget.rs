//! Limits the memory of request bodies for the whole server. A request charges the bytes that it reads, and releases
//! them when it is answered.

use crate::{Problem, ProblemCode};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Bytes of each request that aren't charged, so that small requests pass while large ones fill the budget.
const FREE: usize = 16 * 1024;
/// Bytes of memory per JSON value or key, in all copies that exist at the same time. Objects of one field need the
/// most.
const VALUE: usize = 512;
/// `Retry-After` of a refused request, in seconds.
const RETRY: u32 = 2;

/// The memory budget of all requests. Clones share state.
#[derive(Clone)]
pub struct Budget(Arc<Inner>);

struct Inner {
    /// Limit in bytes.
    most: usize,
    charged: Mutex<Charged>,
}

#[derive(Default)]
struct Charged {
    all: usize,
    /// Bytes by the caller that [`Held::belongs_to`] set.
    of_callers: HashMap<Arc<str>, usize>,
}

impl Budget {
    /// Makes a budget of this many bytes.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Inner { most, charged: Mutex::default() }))
    }

    /// Returns the share of a new request, with nothing charged.
    pub fn open(&self) -> Held {
        let budget = Some(self.clone());
        Held(Arc::new(Share { budget, caller: OnceLock::new(), bytes: Mutex::default() }))
    }

    fn lock(&self) -> MutexGuard<'_, Charged> {
        self.0.charged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Charges `more` to a caller whose request was charged `mine`. Returns false and charges nothing if the budget, or
    /// the half of it that one caller may use, is exceeded. A request that is alone is always accepted.
    fn charge(&self, caller: Option<&Arc<str>>, mine: usize, more: usize) -> bool {
        let mut charged = self.lock();
        let others = charged.all.saturating_sub(mine);
        let of_caller = caller.map(|caller| charged.of_callers.get(caller).copied().unwrap_or_default());
        let all_fit = charged.all + more <= self.0.most;
        let callers_fit = of_caller.is_none_or(|bytes| bytes == mine || bytes + more <= self.0.most / 2);
        if others > 0 && !(all_fit && callers_fit) {
            return false;
        }
        charged.all += more;
        if let Some(caller) = caller {
            *charged.of_callers.entry(Arc::clone(caller)).or_default() += more;
        }
        true
    }

    fn give_back(&self, caller: Option<&Arc<str>>, bytes: usize) {
        let mut charged = self.lock();
        charged.all = charged.all.saturating_sub(bytes);
        if let Some(caller) = caller
            && let Some(of_caller) = charged.of_callers.get_mut(caller)
        {
            *of_caller = of_caller.saturating_sub(bytes);
            if *of_caller == 0 {
                charged.of_callers.remove(caller);
            }
        }
    }
}

/// The charge of one request. It is released when the last clone is dropped. A default one has no budget and no limit.
#[derive(Clone, Default)]
pub struct Held(Arc<Share>);

#[derive(Default)]
struct Share {
    budget: Option<Budget>,
    caller: OnceLock<Arc<str>>,
    /// Bytes read, and how many of them were charged.
    bytes: Mutex<(usize, usize)>,
}

impl Held {
    /// Sets the caller. Must be called before anything is charged.
    pub fn belongs_to(&self, caller: &str) {
        let _ = self.0.caller.set(caller.into());
    }

    /// Charges bytes that were read. Returns 503 if the budget is exceeded.
    pub fn add(&self, bytes: usize) -> Result<(), Problem> {
        let Some(budget) = &self.0.budget else { return Ok(()) };
        let mut so_far = self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let (read, charged) = *so_far;
        let more = (read + bytes).saturating_sub(FREE).saturating_sub(charged);
        if more > 0 && !budget.charge(self.0.caller.get(), charged, more) {
            let title = format!("The limit of {} bytes for request bodies is used up by other requests", budget.0.most);
            let problem =
                Problem::new(ProblemCode::BodiesBusy, title).hint("Send the request again later; nothing was stored");
            return Err(Problem { retry_after: Some(RETRY), ..problem });
        }
        *so_far = (read + bytes, charged + more);
        Ok(())
    }

    /// Charges the memory of this many JSON values and keys.
    pub fn add_values(&self, values: usize) -> Result<(), Problem> {
        self.add(values.saturating_mul(VALUE))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let (_, charged) = *self.bytes.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(budget) = self.budget.as_ref().filter(|_| charged > 0) {
            budget.give_back(self.caller.get(), charged);
        }
    }
}
