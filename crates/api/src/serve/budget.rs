//! How much memory the bodies of requests take up, for the whole server: a request charges what it reads and gives it back
//! when it is answered.

use crate::{Problem, ProblemCode};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Bytes of each request that are charged to nobody, so that small requests pass while large ones fill the budget.
const FREE: usize = 16 * 1024;
/// Bytes that a value or key of JSON takes up, in the copies that exist at the same time. An object of one field is the worst.
const VALUE: usize = 512;
/// Seconds after which somebody who is refused comes back.
const RETRY: u32 = 2;

/// What all requests may take up together. Cheap to clone; clones share state.
#[derive(Clone)]
pub struct Budget(Arc<Inner>);

struct Inner {
    /// In bytes.
    most: usize,
    charged: Mutex<Charged>,
}

#[derive(Default)]
struct Charged {
    all: usize,
    /// By the caller that [`Held::belongs_to`] named.
    of_callers: HashMap<Arc<str>, usize>,
}

impl Budget {
    /// A budget of so many bytes.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Inner { most, charged: Mutex::default() }))
    }

    /// The share of one request, with nothing charged yet.
    pub fn open(&self) -> Held {
        let budget = Some(self.clone());
        Held(Arc::new(Share { budget, caller: OnceLock::new(), bytes: Mutex::default() }))
    }

    fn lock(&self) -> MutexGuard<'_, Charged> {
        self.0.charged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Charges `more` to somebody who was charged `mine` for the same request. False, and nothing is charged, if there is no
    /// room: of the whole, or of the half that one caller may have. A request that is alone always has room.
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

/// What one request was charged. It is given back when the last clone is dropped. A default one has no budget and no limit.
#[derive(Clone, Default)]
pub struct Held(Arc<Share>);

#[derive(Default)]
struct Share {
    budget: Option<Budget>,
    caller: OnceLock<Arc<str>>,
    /// Bytes read, and those of them that were charged.
    bytes: Mutex<(usize, usize)>,
}

impl Held {
    /// Names the caller. To be called before anything is charged.
    pub fn belongs_to(&self, caller: &str) {
        let _ = self.0.caller.set(caller.into());
    }

    /// Charges bytes that were read, or refuses them with a 503.
    pub fn add(&self, bytes: usize) -> Result<(), Problem> {
        let Some(budget) = &self.0.budget else { return Ok(()) };
        let mut so_far = self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let (read, charged) = *so_far;
        let more = (read + bytes).saturating_sub(FREE).saturating_sub(charged);
        if more > 0 && !budget.charge(self.0.caller.get(), charged, more) {
            let title = format!("The bodies of other requests take up all of {} bytes", budget.0.most);
            let problem =
                Problem::new(ProblemCode::BodiesBusy, title).hint("Send it again a little later: nothing was stored");
            return Err(Problem { retry_after: Some(RETRY), ..problem });
        }
        *so_far = (read + bytes, charged + more);
        Ok(())
    }

    /// Charges what so many values and keys of JSON become.
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
