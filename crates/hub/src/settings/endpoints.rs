//! Preferences of people.

use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::context::preferences::{KEY, own_key, read, stored_for};
use crate::routing::{RoutingTable, tell_renamed};
use api::people::PersonRole;
use api::preferences::{EditPreferences, Preferences, SavedView};
use api::{Problem, ProblemCode};
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
    stored_for(&scoped.hub.workspace, scoped.caller.person_id()).await.map_err(problem)
}

pub async fn edit_preferences(scoped: &Scoped, input: EditPreferences) -> Result<Preferences, Problem> {
    let edit = Edit {
        assistant_name: input.assistant_name.map(|name| assistant_name(&name)).transpose()?,
        daily_budget: input.daily_budget.map(|dollars| budget("/daily_budget", &dollars)).transpose()?,
        monthly_budget: input.monthly_budget.map(|dollars| budget("/monthly_budget", &dollars)).transpose()?,
        own: OwnEdit {
            editor: input.editor.map(|editor| editor_address(&editor)).transpose()?,
            single_keys: input.single_keys,
            keys: input.keys.map(checked_keys).transpose()?,
            views: input.views.map(checked_views).transpose()?,
        },
    };
    let is_owner = scoped.caller.user().is_none_or(|user| user.role == PersonRole::Owner);
    if edit.is_shared() && !is_owner {
        let problem = Problem::new(ProblemCode::Forbidden, "The assistant's name and budgets hold for everybody");
        return Err(problem.hint("Only an owner can change them"));
    }
    let before = get_preferences(scoped).await?;
    let is_renamed = edit.assistant_name.as_ref().is_some_and(|name| *name != before.assistant_name);
    let key = own_key(scoped.caller.person_id());
    if key == KEY {
        change(scoped, KEY, edit).await?;
    } else {
        let own = edit.own.clone();
        if edit.is_shared() {
            change(scoped, KEY, Edit { own: OwnEdit::default(), ..edit }).await?;
        }
        change(scoped, &key, Edit { own, ..Edit::default() }).await?;
    }
    if is_renamed {
        scoped.hub.state::<RoutingTable>().load(&scoped.hub.workspace).await.map_err(problem)?;
        tell_renamed(&scoped.hub, None).await?;
    }
    get_preferences(scoped).await
}

/// Changes to preferences, checked.
#[derive(Debug, Clone, Default)]
struct Edit {
    assistant_name: Option<String>,
    daily_budget: Option<String>,
    monthly_budget: Option<String>,
    own: OwnEdit,
}

/// Those that each person has for themselves.
#[derive(Debug, Clone, Default)]
struct OwnEdit {
    editor: Option<String>,
    single_keys: Option<bool>,
    keys: Option<BTreeMap<String, String>>,
    views: Option<Vec<SavedView>>,
}

impl Edit {
    /// Returns true if something changes that holds for everybody.
    fn is_shared(&self) -> bool {
        self.assistant_name.is_some() || self.daily_budget.is_some() || self.monthly_budget.is_some()
    }

    fn of(self, old: Preferences) -> Preferences {
        Preferences {
            assistant_name: self.assistant_name.unwrap_or(old.assistant_name),
            editor: self.own.editor.unwrap_or(old.editor),
            single_keys: self.own.single_keys.unwrap_or(old.single_keys),
            keys: self.own.keys.unwrap_or(old.keys),
            views: self.own.views.unwrap_or(old.views),
            daily_budget: self.daily_budget.unwrap_or(old.daily_budget),
            monthly_budget: self.monthly_budget.unwrap_or(old.monthly_budget),
        }
    }
}

/// Stores changes. Another tab may change something else at the same time: what it changed stays.
async fn change(scoped: &Scoped, key: &str, edit: Edit) -> Result<(), Problem> {
    let change = |stored| {
        let before = read(stored);
        let all = edit.of(before.clone());
        let changes = changes(&before, &all);
        let event = (!changes.is_empty()).then_some(Event::PreferencesChanged { changes });
        (serde_json::to_string(&all).ok(), event)
    };
    scoped.signed().await.change_meta(key, clock::now(), change).await.map_err(problem)?;
    Ok(())
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
