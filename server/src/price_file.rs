//! Prices of models of one's own: `prices.toml` in the data directory, in the form of `crates/cost/prices.toml`.

use anyhow::{Context as _, Result, anyhow};
use cost::Prices;
use std::path::Path;

/// Reads the file, if there is one. A mistake in it ends the start, so that nobody counts on prices that aren't used.
pub fn read(dir: &Path) -> Result<Prices> {
    let file = dir.join("prices.toml");
    if !file.exists() {
        return Ok(Prices::default());
    }
    let text = std::fs::read_to_string(&file).with_context(|| format!("{} can't be read", file.display()))?;
    Prices::parse(&text).map_err(|error| anyhow!("{}: {error}", file.display()))
}
