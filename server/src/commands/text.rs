//! Text from arguments or standard input.

use crate::printing::{is_command, note};
use anyhow::{Context as _, Result, anyhow, bail};
use model::text::is_blank;
use serde_json::Value;
use std::io::{IsTerminal as _, Read as _};

/// Returns the text of the command line; `-`, and nothing where something is piped in, mean standard input. None if it
/// is blank.
pub fn text(typed: Option<&str>) -> Result<Option<String>> {
    let text = match typed {
        Some("-") => piped()?,
        None if !std::io::stdin().is_terminal() => piped()?,
        typed => typed.unwrap_or_default().to_owned(),
    };
    Ok((!is_blank(&text)).then_some(text))
}

/// Reads a pipe. Bytes that aren't UTF-8 are replaced, because the command before can't be repeated.
fn piped() -> Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).context("standard input can't be read")?;
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        note("Standard input isn't valid UTF-8; invalid bytes are replaced by U+FFFD");
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    });
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// The JSON object that an option gives, or the one in the file after `@`; `@-` is standard input. `example` is one
/// that would do.
pub fn object(option: &str, example: &str, given: &str) -> Result<Value> {
    let (name, text) = match given.strip_prefix('@') {
        Some("-") => ("standard input".to_owned(), piped()?),
        Some(file) => {
            (file.to_owned(), std::fs::read_to_string(file).with_context(|| format!("{file} can't be read"))?)
        }
        None => (format!("`{option}`"), given.to_owned()),
    };
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        anyhow!("{name} isn't JSON: {error}\nGive an object, such as `{{\"exit_code\": 0}}`; `@FILE` reads one")
    })?;
    if !value.is_object() {
        bail!("{name} should be a JSON object, as `{example}`");
    }
    Ok(value)
}

/// In one line, without what would command the terminal.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace(is_command, "")
}
