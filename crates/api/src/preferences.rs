//! A person's preferences for all devices. The appearance (theme, density, colours) is set per device, in cookies.

use crate::endpoint::{Input, Reply};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The caller's preferences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Preferences {
    /// Name of the assistant on pages, in channels, in the terminal and in exports, and for `@Name`. A session's
    /// routing can override it. Empty: the name that the server was started with, otherwise each agent's own name.
    pub assistant_name: String,
    /// URL that opens a file in the editor, with `{path}` and `{line}` as placeholders. Empty: no links to an editor.
    pub editor: String,
    /// True if shortcuts of a single key are enabled.
    pub single_keys: bool,
    /// Shortcuts of commands that differ from the default. An empty string removes the shortcut.
    pub keys: BTreeMap<String, String>,
    /// Saved filters of the session list, in their order.
    pub views: Vec<SavedView>,
    /// Budget per day in US dollars, like `12.50`. Empty: no budget.
    pub daily_budget: String,
    /// Budget per month in US dollars. Empty: no budget.
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

/// A named filter of the session list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SavedView {
    /// Display name.
    pub name: String,
    /// Query of the URL: `project=web&since=2026-11-01`.
    pub query: String,
}

/// Changes to the preferences. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EditPreferences {
    /// Name of the assistant. Empty: the name that the server was started with, otherwise each agent's own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assistant_name: Option<String>,
    /// URL that opens a file. Empty: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editor: Option<String>,
    /// True to enable shortcuts of a single key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub single_keys: Option<bool>,
    /// Replaces all shortcuts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<BTreeMap<String, String>>,
    /// Replaces all saved filters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub views: Option<Vec<SavedView>>,
    /// Budget per day in US dollars, like `12.50`. Empty: no budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily_budget: Option<String>,
    /// Budget per month in US dollars. Empty: no budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monthly_budget: Option<String>,
}
impl Input for EditPreferences {
    const EXAMPLE: &'static str = r#"{"editor": "vscode://file{path}:{line}", "single_keys": false}"#;
}
