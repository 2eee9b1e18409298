//! `verbatim config`: the options of the server and where each is from.

use super::{print, print_json};
use crate::cli::{self, ConfigCommand};
use crate::config::{Config, Setting};
use anyhow::Result;
use std::fmt::Write as _;

pub fn run(command: &ConfigCommand) -> Result<()> {
    let ConfigCommand::Show { json } = command;
    let config = Config::read(&cli::command())?;
    let settings = config.settings(cli::command())?;
    if *json {
        return print_json(&settings);
    }
    let file = config.file.map_or_else(
        || "`VERBATIM_CONFIG` names no file, and this system has no folder for one".to_owned(),
        |file| format!("{}{}", file.display(), if file.is_file() { "" } else { " (absent)" }),
    );
    print(&table(&file, &settings))
}

fn table(file: &str, settings: &[Setting]) -> String {
    let width = |text: fn(&Setting) -> &str| settings.iter().map(|setting| text(setting).chars().count()).max();
    let options = width(|setting| &setting.option).unwrap_or(0);
    let values = width(|setting| setting.value.as_deref().unwrap_or("-")).unwrap_or(0).min(40);
    let mut text = format!(
        "The command line comes first, then the environment, then {file}, then the defaults.\n\
         `VARIABLE_FILE` names a file with the value of a secret.\n\n"
    );
    for Setting { option, value, source, variable } in settings {
        let value = value.as_deref().filter(|value| !value.is_empty()).unwrap_or("-");
        let source = if source == variable { source.clone() } else { format!("{source}; or {variable}") };
        // Writing to a string doesn't fail.
        let _ = writeln!(text, "{option:options$}  {value:values$}  {source}");
    }
    text
}
