//! What a person prefers, wherever they log in. How it looks (theme, density, colours) is a matter of the device: cookies.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The preferences of the person who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Preferences {
    /// What the assistant is called: on pages, in channels, in the terminal and in exports, and by `@Name`. A session's routing may
    /// set another. Empty: the name that the server was started with, else each agent's own.
    pub assistant_name: String,
    /// Address that opens a file in the editor; `{path}` and `{line}` stand for the place. Empty: none.
    pub editor: String,
    /// Whether keys act that are pressed alone.
    pub single_keys: bool,
    /// Commands with other keys than usual. An empty text takes a command its key.
    pub keys: BTreeMap<String, String>,
    /// Filters of the list of sessions, in their order.
    pub views: Vec<SavedView>,
    /// US dollars that may be spent on a day, like `12.50`. Empty: no budget.
    pub daily_budget: String,
    /// US dollars that may be spent in a month. Empty: no budget.
    pub monthly_budget: String,
}
impl Reply for Preferences {}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            assistant_name: String::new(),
            editor: String::new(),
            single_keys: true,
            keys: BTreeMap::new(),
            views: Vec::new(),
            daily_budget: String::new(),
            monthly_budget: String::new(),
        }
    }
}

/// A query of the list of sessions, under a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SavedView {
    /// For people.
    pub name: String,
    /// What follows the `?` of the address: `project=web&since=2026-11-01`.
    pub query: String,
}

/// What changes. Absent fields stay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EditPreferences {
    /// What the assistant is called; empty: as the server was started, else each agent's own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assistant_name: Option<String>,
    /// Address that opens a file; empty: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editor: Option<String>,
    /// Whether keys act that are pressed alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub single_keys: Option<bool>,
    /// All of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<BTreeMap<String, String>>,
    /// All of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub views: Option<Vec<SavedView>>,
    /// US dollars a day, like `12.50`; empty: no budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily_budget: Option<String>,
    /// US dollars a month; empty: no budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monthly_budget: Option<String>,
}
impl Input for EditPreferences {
    const EXAMPLE: &'static str = r#"{"editor": "vscode://file{path}:{line}", "single_keys": false}"#;
}
