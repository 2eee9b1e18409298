//! Costs of requests to models.
//!
//! A tour:
//! - [`prices`]: the price table, read from `prices.toml` of this crate and from a file of one's own: [`Prices`].
//! - [`names`]: a model's name as transcripts write it, as a name of the table.
//! - [`bill`]: tokens times rates: [`Prices::cost`] gives US dollars, or [`Unpriced`]: the reason why not.
//! - [`meter`]: how full a context is, and when it will be full: [`meter::Meter`].
//!
//! This crate knows no clock, no file and no database: days are arguments.
//!
//! How to add a model: a line in `prices.toml`, with the vendor's page and the day on which it was read.

#![warn(missing_docs)]

pub mod bill;
pub mod meter;
pub mod names;
pub mod prices;

pub use bill::{Bill, Unpriced};
pub use prices::{Prices, PricesError};
