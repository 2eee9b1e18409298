//! Costs of requests to models: agents' own figures, otherwise from the price table.

use crate::basics::moment::{day_of, named_day};
use crate::context::TopicState;
use api::cost::{Cost, UnpricedTokens};
use cost::{Bill, Prices, Unpriced};
use model::Micros;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use store::spending::{Request, Spending};

/// A sum of costs.
#[derive(Debug, Clone, Default)]
pub struct Sum {
    stated: Option<f64>,
    computed: Option<f64>,
    unpriced: BTreeMap<Unpriced, i64>,
}

impl Sum {
    /// The cost of all of these.
    pub fn of(prices: &Prices, spending: &[Spending]) -> Self {
        let mut sum = Self::default();
        for spent in spending {
            sum.add(prices, spent);
        }
        sum
    }

    /// Adds what some requests cost.
    pub fn add(&mut self, prices: &Prices, spent: &Spending) {
        if let Some(stated) = spent.cost_usd {
            *self.stated.get_or_insert(0.0) += stated;
        } else if spent.usage.total() > 0 {
            let (usage, cache_write_1h) = (spent.usage, spent.cache_write_1h);
            let bill = Bill { day: named_day(spent.day), input: spent.above.saturating_add(1), usage, cache_write_1h };
            self.add_bill(prices, spent.model.as_deref(), &bill);
        }
    }

    fn add_request(&mut self, prices: &Prices, request: &Request) {
        let day = day_of(request.ended_at);
        let bill = Bill::of_request(day, request.usage, request.cache_write_1h);
        self.add_bill(prices, request.model.as_deref(), &bill);
    }

    fn add_bill(&mut self, prices: &Prices, model: Option<&str>, bill: &Bill) {
        match prices.cost(model, bill) {
            Ok(usd) => *self.computed.get_or_insert(0.0) += usd,
            Err(why) => *self.unpriced.entry(why).or_default() += bill.usage.total(),
        }
    }

    /// US dollars, as far as prices are known.
    pub fn usd(&self) -> Option<f64> {
        match (self.stated, self.computed) {
            (None, None) => None,
            (stated, computed) => Some(stated.unwrap_or(0.0) + computed.unwrap_or(0.0)),
        }
    }

    /// Returns the part that was computed from the price table.
    pub fn computed_usd(&self) -> Option<f64> {
        self.computed
    }

    /// Tokens without a price.
    pub fn unpriced_tokens(&self) -> i64 {
        self.unpriced.values().sum()
    }

    /// As the API says it.
    pub fn cost(&self) -> Cost {
        let unpriced =
            self.unpriced.iter().map(|(why, tokens)| UnpricedTokens { tokens: *tokens, reason: why.reason() });
        Cost { usd: self.usd(), computed_usd: self.computed, unpriced: unpriced.collect() }
    }
}

/// The total spent since a time, cached for a minute, because session lists need it each time they are drawn.
#[derive(Default)]
pub struct Spent(Mutex<BTreeMap<Micros, (Micros, Cost)>>);

impl TopicState for Spent {}

impl Spent {
    /// How long a sum is used, in microseconds.
    const HOLDS: i64 = 60 * Micros::SECOND;
    /// Sums that are kept: a day and a month in a few time zones.
    const KEPT: usize = 32;

    /// The sum since `from`. None if it is older than a minute at `now`, or was never made.
    pub fn since(&self, from: Micros, now: Micros) -> Option<Cost> {
        let sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, spent) = sums.get(&from)?;
        (0..Self::HOLDS).contains(&now.since(*at)).then(|| spent.clone())
    }

    /// Keeps a sum that was made at `now`.
    pub fn remember(&self, from: Micros, now: Micros, spent: Cost) {
        let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sums.len() >= Self::KEPT {
            sums.clear();
        }
        sums.insert(from, (now, spent));
    }
}

/// Returns the cost of a run: as the agent reports it, otherwise the sum of its requests.
pub fn cost_of_run(prices: &Prices, stated: Option<f64>, requests: &[&Request]) -> Cost {
    let mut sum = Sum { stated: stated.filter(|usd| *usd > 0.0), ..Sum::default() };
    if sum.stated.is_none() {
        for request in requests {
            sum.add_request(prices, request);
        }
    }
    sum.cost()
}

/// The cost of one request. None where the agent says only what its run cost.
pub fn cost_of_request(prices: &Prices, request: &Request) -> Option<Cost> {
    let mut sum = Sum::default();
    match request.cost_usd.filter(|_| request.run_is_priced) {
        Some(stated) => sum.stated = Some(stated),
        None if request.run_is_priced => return None,
        None => sum.add_request(prices, request),
    }
    Some(sum.cost())
}
