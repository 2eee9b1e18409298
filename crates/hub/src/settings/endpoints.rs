//! A person's preferences, one small value of the workspace.

use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::context::preferences::{KEY, read, stored};
use crate::routing::{RoutingTable, tell_renamed};
use api::Problem;
use api::preferences::{EditPreferences, Preferences, SavedView};
use model::audit::{Change, Event};
use model::routing::{Settings, bare};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const NAME_CHARS: usize = 80;
const EDITOR_CHARS: usize = 500;
const COMMANDS: usize = 200;
const KEYS_CHARS: usize = 40;
const VIEWS: usize = 50;
const QUERY_CHARS: usize = 2000;
const BUDGET_DIGITS: usize = 9;

pub async fn get_preferences(scoped: &Scoped) -> Result<Preferences, Problem> {
    stored(&scoped.hub.workspace).await.map_err(problem)
}

pub async fn edit_preferences(scoped: &Scoped, input: EditPreferences) -> Result<Preferences, Problem> {
    let name = input.assistant_name.map(|name| assistant_name(&name)).transpose()?;
    let is_renamed = name.is_some() && name != Some(get_preferences(scoped).await?.assistant_name);
    let editor = input.editor.map(|editor| editor_address(&editor)).transpose()?;
    let keys = input.keys.map(checked_keys).transpose()?;
    let views = input.views.map(checked_views).transpose()?;
    let daily_budget = input.daily_budget.map(|dollars| budget("/daily_budget", &dollars)).transpose()?;
    let monthly_budget = input.monthly_budget.map(|dollars| budget("/monthly_budget", &dollars)).transpose()?;
    // Another tab may change something else at the same time: what it changed stays.
    let change = |stored| {
        let old = read(stored);
        let before = old.clone();
        let all = Preferences {
            assistant_name: name.unwrap_or(old.assistant_name),
            editor: editor.unwrap_or(old.editor),
            single_keys: input.single_keys.unwrap_or(old.single_keys),
            keys: keys.unwrap_or(old.keys),
            views: views.unwrap_or(old.views),
            daily_budget: daily_budget.unwrap_or(old.daily_budget),
            monthly_budget: monthly_budget.unwrap_or(old.monthly_budget),
        };
        let changes = changes(&before, &all);
        let event = (!changes.is_empty()).then_some(Event::PreferencesChanged { changes });
        (serde_json::to_string(&all).ok(), event)
    };
    let by = scoped.signed().await;
    let stored = by.change_meta(KEY, clock::now(), change).await.map_err(problem)?;
    if is_renamed {
        scoped.hub.state::<RoutingTable>().load(&scoped.hub.workspace).await.map_err(problem)?;
        tell_renamed(&scoped.hub, None).await?;
    }
    Ok(read(Some(stored.ok_or_else(Problem::internal)?)))
}

/// Returns changes for the audit log: of the keys the changed commands, of the views their names.
fn changes(old: &Preferences, new: &Preferences) -> Vec<Change> {
    let changed = |keys: &BTreeMap<String, String>, others: &BTreeMap<String, String>| -> Map<String, Value> {
        let differ = keys.iter().filter(|(command, keys)| others.get(*command) != Some(keys));
        differ.map(|(command, keys)| (command.clone(), Value::from(keys.as_str()))).collect()
    };
    let names = |views: &[SavedView]| views.iter().map(|view| Value::from(view.name.as_str())).collect::<Value>();
    let fields = |of: &Preferences| serde_json::to_value(of).unwrap_or_default();
    let (before, after) = (fields(old), fields(new));
    let after = after.as_object().into_iter().flatten();
    let differ =
        after.filter_map(|(field, new)| before.get(field).filter(|old| *old != new).map(|old| (field, old, new)));
    differ
        .map(|(field, before, after)| {
            let (old, new) = match field.as_str() {
                "keys" => (changed(&old.keys, &new.keys).into(), changed(&new.keys, &old.keys).into()),
                "views" => (names(&old.views), names(&new.views)),
                _ => (before.clone(), after.clone()),
            };
            Change { field: field.clone(), old, new }
        })
        .collect()
}

/// A name that also calls the agent; empty for none.
fn assistant_name(given: &str) -> Result<String, Problem> {
    let name = bare(given).to_owned();
    if !given.trim().is_empty() {
        let settings = Settings { name: Some(name.clone()), ..Settings::default() };
        settings.check().map_err(|(_, expected)| Problem::field("/assistant_name", &expected))?;
    }
    Ok(name)
}

fn text(field: &str, given: &str, most: usize) -> Result<String, Problem> {
    let given = given.trim();
    if given.chars().count() > most || given.chars().any(char::is_control) {
        return Err(Problem::field(field, &format!("one line of at most {most} characters")));
    }
    Ok(given.to_owned())
}

/// A link that people click: an editor's scheme and a place for the path, and nothing that would run as a script.
fn editor_address(given: &str) -> Result<String, Problem> {
    let given = text("/editor", given, EDITOR_CHARS)?;
    let scheme = given.split_once(':').map_or("", |(scheme, _)| scheme).to_ascii_lowercase();
    let known = !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let runs = matches!(scheme.as_str(), "javascript" | "data" | "vbscript" | "blob");
    if given.is_empty() || (known && !runs && given.contains("{path}")) {
        return Ok(given);
    }
    Err(Problem::field("/editor", "empty, or an address with `{path}` in it: `vscode://file/{path}:{line}`"))
}

/// Dollars and cents of a budget; empty where there is none.
fn budget(field: &str, given: &str) -> Result<String, Problem> {
    let given = given.trim().trim_start_matches('$').trim();
    let (dollars, cents) = given.split_once('.').unwrap_or((given, "0"));
    let is_number = |digits: &str, most: usize| {
        !digits.is_empty() && digits.len() <= most && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_budget =
        is_number(dollars, BUDGET_DIGITS) && is_number(cents, 2) && given.bytes().any(|b| (b'1'..=b'9').contains(&b));
    if given.is_empty() || is_budget {
        return Ok(given.to_owned());
    }
    Err(Problem::field(field, "empty, or US dollars above 0 like `12.50`"))
}

fn checked_keys(keys: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Problem> {
    if keys.len() > COMMANDS {
        return Err(Problem::field("/keys", &format!("at most {COMMANDS} commands")));
    }
    let checked = keys.into_iter().map(|(command, keys)| {
        let field = format!("/keys/{command}");
        Ok((text(&field, &command, KEYS_CHARS)?, text(&field, &keys, KEYS_CHARS)?))
    });
    checked.collect()
}

fn checked_views(views: Vec<SavedView>) -> Result<Vec<SavedView>, Problem> {
    if views.len() > VIEWS {
        return Err(Problem::field("/views", &format!("at most {VIEWS} views")));
    }
    let checked = views.into_iter().enumerate().map(|(index, view)| {
        let field = format!("/views/{index}/name");
        let name = text(&field, &view.name, NAME_CHARS)?;
        if name.is_empty() {
            return Err(Problem::field(&field, &format!("1 to {NAME_CHARS} characters")));
        }
        Ok(SavedView { name, query: text(&format!("/views/{index}/query"), &view.query, QUERY_CHARS)? })
    });
    checked.collect()
}
