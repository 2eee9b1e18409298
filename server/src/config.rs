//! Options from elsewhere than the command line.
//!
//! The command line has precedence over the environment, the environment over files that it names with `_FILE`, those over
//! `config.toml`, and that over the defaults. Each option of `serve`, and each by which other commands find the data and the
//! server, has a variable, `VERBATIM_` and its name in capitals, and a key in the file: its name.

use anyhow::{Context as _, Result, anyhow, bail};
use clap::builder::BoolishValueParser;
use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::collections::BTreeMap;
use std::error::Error as _;
use std::ffi::OsString;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Names the file.
const VARIABLE: &str = "VERBATIM_CONFIG";
/// Options of other commands than `serve`.
const EVERYWHERE: [&str; 4] = ["data-dir", "database", "server", "key"];

/// Values from files, by the names of their options.
#[derive(Debug)]
pub struct Config {
    /// `config.toml`, which may be absent. None if this system names no folder for it.
    pub file: Option<PathBuf>,
    values: BTreeMap<String, Value>,
}

#[derive(Debug)]
struct Value {
    words: Vec<String>,
    /// Where it is from: `config.toml, line 3`.
    place: String,
}

/// An option, as `verbatim config show` lists it.
#[derive(Debug, serde::Serialize)]
pub struct Setting {
    pub option: String,
    /// Absent if there is none. A secret is `(secret)`.
    pub value: Option<String>,
    /// `default`, the variable, or the file and its line.
    pub source: String,
    pub variable: String,
}

impl Config {
    /// Reads the file and those that the environment names.
    ///
    /// # Errors
    ///
    /// If a file can't be read, or has an unknown key, a key twice or a value of a wrong type. The error names file and line.
    pub fn read(command: &Command) -> Result<Self> {
        let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
        let file = named.clone().or_else(|| Some(dirs::config_dir()?.join("verbatim").join("config.toml")));
        let mut config = Self { file, values: BTreeMap::new() };
        if let Some(file) = &config.file {
            match std::fs::read_to_string(file) {
                Ok(text) => config.values = values(command, &text, &file.display().to_string())?,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => {}
                Err(error) => return Err(error).with_context(|| format!("{} can't be read", file.display())),
            }
        }
        for arg in options(command).filter(|arg| arg.is_hide_env_values_set()) {
            let variable = format!("{}_FILE", variable(arg));
            let Some(path) = std::env::var_os(&variable).filter(|path| !path.is_empty()) else { continue };
            let path = PathBuf::from(path);
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("`{variable}`: {} can't be read", path.display()))?;
            let value = Value { words: vec![text.trim().to_owned()], place: variable };
            config.values.insert(name(arg).to_owned(), value);
        }
        Ok(config)
    }

    /// Returns the command with a variable for each option, and the values of files as its defaults.
    pub fn on(&self, command: Command) -> Command {
        let is_serve = command.get_name() == "serve";
        let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
        let command = command.mut_args(|arg| self.on_option(arg, is_serve));
        names.into_iter().fold(command, |command, name| command.mut_subcommand(name, |below| self.on(below)))
    }

    fn on_option(&self, arg: Arg, is_of_serve: bool) -> Arg {
        if arg.get_long().is_none_or(|long| !(EVERYWHERE.contains(&long) || is_of_serve && is_configured(&arg))) {
            return arg;
        }
        let value = self.values.get(name(&arg));
        let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
        let variable = variable(&arg);
        let arg = if std::env::var_os(&variable).is_some_and(|value| value.is_empty()) {
            arg.env(None::<&'static str>)
        } else if arg.get_env().is_none() {
            arg.env(variable).hide_env(true)
        } else {
            arg
        };
        let arg = if is_switch { arg.value_parser(BoolishValueParser::new()) } else { arg };
        match value {
            Some(value) => arg.default_values(value.words.clone()).hide_default_value(!is_switch),
            None => arg,
        }
    }

    /// Lists the options of `serve`, as they hold if the command line has none.
    ///
    /// # Errors
    ///
    /// If a value can't be read.
    pub fn settings(&self, command: Command) -> Result<Vec<Setting>> {
        let mut command = self.on(command);
        let matches = command.try_get_matches_from_mut(["verbatim", "serve"]);
        let matches = matches.map_err(|error| self.explain(&error, &command).unwrap_or_else(|| error.into()))?;
        let matches = matches.subcommand_matches("serve").context("there is no command `serve`")?;
        Ok(options(&command).map(|arg| self.setting(arg, matches)).collect())
    }

    /// Says where a value that can't be read is from, unless it was typed.
    pub fn explain(&self, error: &clap::Error, command: &Command) -> Option<anyhow::Error> {
        let text = |kind| match error.get(kind)? {
            ContextValue::String(text) => Some(text.as_str()),
            _ => None,
        };
        let (option, value) = (text(ContextKind::InvalidArg)?, text(ContextKind::InvalidValue)?);
        let option = option.trim_start_matches("--").split(' ').next()?;
        let is_typed =
            |argument: OsString| argument.to_str().is_some_and(|text| text.starts_with(&format!("--{option}")));
        let arg = options(command).find(|arg| name(arg) == option)?;
        if std::env::args_os().any(is_typed) {
            return None;
        }
        let variable = variable(arg);
        let place = match self.values.get(option) {
            Some(value) if std::env::var_os(&variable).is_none_or(|value| value.is_empty()) => &value.place,
            _ => &variable,
        };
        let expected = error.source().map(|expected| format!(": {expected}")).unwrap_or_default();
        Some(anyhow!("{place}: `{option}` can't be `{value}`{expected}"))
    }

    fn setting(&self, arg: &Arg, matches: &ArgMatches) -> Setting {
        let variable = variable(arg);
        let given = matches.get_raw(arg.get_id().as_str()).map(|words| words.map(|word| word.to_string_lossy()));
        let value = given.map(|words| words.collect::<Vec<_>>().join(", "));
        let value = value.map(|value| if arg.is_hide_env_values_set() { "(secret)".to_owned() } else { value });
        let source = match (matches.value_source(arg.get_id().as_str()), self.values.get(name(arg))) {
            (Some(ValueSource::EnvVariable), _) => variable.clone(),
            (_, Some(value)) => value.place.clone(),
            _ => "default".to_owned(),
        };
        Setting { option: name(arg).to_owned(), value, source, variable }
    }
}

/// The options of `serve` that can be configured.
fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    let serve = command.find_subcommand("serve").into_iter();
    serve.flat_map(Command::get_arguments).filter(|arg| is_configured(arg))
}

fn is_configured(arg: &Arg) -> bool {
    !arg.is_hide_set() && arg.get_long().is_some_and(|long| long != "help")
}

fn name(arg: &Arg) -> &str {
    arg.get_long().unwrap_or_default()
}

fn variable(arg: &Arg) -> String {
    let own = || format!("VERBATIM_{}", name(arg).replace('-', "_").to_uppercase());
    arg.get_env().map_or_else(own, |variable| variable.to_string_lossy().into_owned())
}

/// The values of a file by their options.
fn values(command: &Command, text: &str, file: &str) -> Result<BTreeMap<String, Value>> {
    let table = DeTable::parse(text).map_err(|error| anyhow!("{file}: {}", error.to_string().trim_end()))?;
    let place = |at: std::ops::Range<usize>| {
        let line = text.get(..at.start).unwrap_or_default().matches('\n').count() + 1;
        format!("{file}, line {line}")
    };
    let mut values = BTreeMap::new();
    for (key, value) in table.into_inner() {
        let place = place(key.span());
        let name = key.into_inner().into_owned();
        let remote = EVERYWHERE.contains(&name.as_str());
        let arg = options(command).find(|arg| self::name(arg) == name);
        if arg.is_none() && !remote {
            bail!("{place}: there is no option `{name}`\n`verbatim config show` lists them");
        }
        let takes_many = arg.is_some_and(|arg| matches!(arg.get_action(), ArgAction::Append));
        let words = words(value, takes_many).map_err(|expected| anyhow!("{place}: `{name}` should be {expected}"))?;
        values.insert(name, Value { words, place });
    }
    Ok(values)
}

/// A value as it would be typed. The error says what is expected.
fn words(value: Spanned<DeValue<'_>>, takes_many: bool) -> Result<Vec<String>, &'static str> {
    let word = |value: DeValue<'_>| match value {
        DeValue::String(text) => Some(text.into_owned()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Boolean(switch) => Some(switch.to_string()),
        _ => None,
    };
    let expected = if takes_many { "a text, or a list of texts" } else { "one text, number, `true` or `false`" };
    match value.into_inner() {
        DeValue::Array(list) if takes_many => {
            list.into_iter().map(|item| word(item.into_inner()).ok_or(expected)).collect()
        }
        one => Ok(vec![word(one).ok_or(expected)?]),
    }
}
