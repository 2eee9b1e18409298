//! Notices of a run that `notices.json` in the data directory sets up, besides those of the settings page. Only who may
//! write there configures commands.

use anyhow::{Context as _, Result, anyhow};
use hub::notices::NoticeSettings;
use std::path::Path;

/// Variables of the server that commands see: how programs, files and words are found, and nothing secret.
const VARIABLES: [&str; 5] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR"];

/// Reads the file, if there is one. A mistake in it ends the start, so that nobody waits for notices that never come.
pub fn read(dir: &Path) -> Result<NoticeSettings> {
    let file = dir.join("notices.json");
    let settings = if file.exists() {
        let text = std::fs::read_to_string(&file).with_context(|| format!("{} can't be read", file.display()))?;
        NoticeSettings::read(&text).map_err(|error| anyhow!("{}: {error}", file.display()))?
    } else {
        NoticeSettings::default()
    };
    let environment = VARIABLES.iter().filter_map(|name| Some(((*name).into(), std::env::var_os(name)?))).collect();
    Ok(NoticeSettings { environment, ..settings })
}
