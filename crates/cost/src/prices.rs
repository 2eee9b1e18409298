//! The price table: vendors, their models, and the rates of each.

use crate::names;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The table that comes with the program.
const BUILT_IN: &str = include_str!("../prices.toml");

/// Prices of models, by name.
#[derive(Debug, Clone, Default)]
pub struct Prices {
    models: HashMap<String, Model>,
}

/// A model of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// As the vendor names it.
    pub name: String,
    /// Where its prices are from.
    pub vendor: Vendor,
    /// The largest input in tokens, cached ones included.
    pub context: i64,
    /// At least one of them holds on any day for an input of any length.
    pub rates: Vec<Rate>,
}

/// The vendor of a model, and the source of the prices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vendor {
    /// The vendor's name for people.
    pub name: String,
    /// The page with the prices.
    pub source: String,
    /// The day as of which they hold, `2026-11-05`.
    pub checked: String,
}

/// US dollars for a million tokens.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// The first day on which it holds, `2026-07-30` (UTC); None from the beginning.
    pub since: Option<String>,
    /// It holds for requests whose input has more tokens than this.
    #[serde(default)]
    pub above: i64,
    /// Tokens that no cache held.
    pub input: f64,
    /// Tokens that the model wrote.
    pub output: f64,
    /// Tokens read from the cache; None if they cost as much as input.
    pub cache_read: Option<f64>,
    /// Tokens written into the cache; None if they cost as much as input.
    pub cache_write: Option<f64>,
    /// Tokens written into a cache that lasts an hour; None if they cost as much as others.
    pub cache_write_1h: Option<f64>,
}

/// Why a price table can't be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PricesError {
    /// It isn't TOML, or has a field too many or too few.
    #[error("{0}")]
    Syntax(String),
    /// A value that means nothing.
    #[error("`{model}`: {rule}")]
    Value {
        /// The model's name in the table.
        model: String,
        /// The rule that is violated.
        rule: &'static str,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    vendor: Vec<FileVendor>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileVendor {
    name: String,
    source: String,
    checked: String,
    models: BTreeMap<String, FileModel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileModel {
    context: i64,
    rates: Vec<Rate>,
}

impl Prices {
    /// The table that comes with the program.
    pub fn built_in() -> Self {
        Self::parse(BUILT_IN).unwrap_or_default()
    }

    /// Reads a table. An unknown field, a model without rates and a negative price are errors.
    pub fn parse(text: &str) -> Result<Self, PricesError> {
        let file: File = toml::from_str(text).map_err(|error| PricesError::Syntax(error.to_string()))?;
        let mut models = HashMap::new();
        for of in file.vendor {
            let vendor = Vendor { name: of.name, source: of.source, checked: of.checked };
            for (name, FileModel { context, rates }) in of.models {
                if let Some(rule) = broken(context, &rates) {
                    return Err(PricesError::Value { model: name, rule });
                }
                let key = names::canonical(&name);
                models.insert(key, Model { name, vendor: vendor.clone(), context, rates });
            }
        }
        Ok(Self { models })
    }

    /// This table with the models of another one, which replace those of the same name.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.models.extend(other.models);
        self
    }

    /// The model that a transcript means by a name: `us.anthropic.claude-opus-4-5-20251101-v1:0` is `claude-opus-4-5`.
    pub fn model(&self, name: &str) -> Option<&Model> {
        names::candidates(name).iter().find_map(|key| self.models.get(key))
    }

    /// The largest input of a model in tokens, if the table knows it.
    pub fn context(&self, name: &str) -> Option<i64> {
        // A faster answer or a later one reads no more and no less.
        let without_tier = || self.model(names::without_tier(name).0);
        let context = self.model(name).or_else(without_tier)?.context;
        Some(if names::has_long_context(name) { context.max(names::LONG_CONTEXT) } else { context })
    }

    /// The inputs in tokens beyond which any model has another rate, ascending. Requests between two of them may be summed up
    /// before they are priced.
    pub fn steps(&self) -> Vec<i64> {
        let rates = self.models.values().flat_map(|model| &model.rates);
        rates.map(|rate| rate.above).filter(|above| *above > 0).collect::<BTreeSet<i64>>().into_iter().collect()
    }

    /// How many models the table has.
    pub fn len(&self) -> usize {
        self.models.len()
    }

    /// Returns true if it has none.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }
}

impl Model {
    /// The rate of a request on a day (`2026-07-30`) with an input of so many tokens: of those that hold the newest, and of
    /// these the one of the longest input.
    pub fn rate(&self, day: &str, input: i64) -> Option<&Rate> {
        let holds = |rate: &&Rate| rate.since.as_deref().is_none_or(|since| since <= day);
        let since = self.rates.iter().filter(holds).map(|rate| rate.since.as_deref()).max()?;
        let newest = self.rates.iter().filter(|rate| rate.since.as_deref() == since);
        newest.filter(|rate| rate.above == 0 || input > rate.above).max_by_key(|rate| rate.above)
    }
}

/// Returns the error of a model in a table.
fn broken(context: i64, rates: &[Rate]) -> Option<&'static str> {
    let prices =
        |rate: &Rate| [Some(rate.input), Some(rate.output), rate.cache_read, rate.cache_write, rate.cache_write_1h];
    let is_price = |price: f64| price.is_finite() && price >= 0.0;
    let is_day = |day: &String| day.len() == 10 && day.parse::<jiff::civil::Date>().is_ok();
    // Each day's rates begin with one for any input.
    let whole = |since: &Option<String>| rates.iter().any(|rate| rate.since == *since && rate.above == 0);
    if context <= 0 {
        Some("`context`: expected a number of tokens above 0")
    } else if !rates.iter().any(|rate| rate.since.is_none()) {
        Some("`rates`: expected one without `since`")
    } else if !rates.iter().flat_map(prices).flatten().all(is_price) {
        Some("`rates`: expected prices of 0 or more")
    } else if !rates.iter().filter_map(|rate| rate.since.as_ref()).all(is_day) {
        Some("`since`: expected a day like `2026-07-30`")
    } else if rates.iter().any(|rate| rate.above < 0) {
        Some("`above`: expected a number of tokens")
    } else if !rates.iter().all(|rate| whole(&rate.since)) {
        Some("`rates`: expected one without `above` for each `since`")
    } else {
        None
    }
}
