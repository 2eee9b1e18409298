//! The editor that the person set: an address with places for path and line.

use super::dom;
use crate::shared::attr;

/// Opens a path where the person's editor has it. Returns true if there is an editor.
pub fn open(path: &str, line: Option<String>) -> bool {
    let Some(template) = dom::by_id("app").and_then(|app| app.get_attribute(attr::EDITOR)) else {
        dom::announce("No editor is set. Set its address in the settings");
        return false;
    };
    let line = line.unwrap_or_else(|| "1".to_owned());
    let path: Vec<String> = path.split('/').map(api::endpoint::segment).collect();
    dom::go_to(&template.replace("{path}", &path.join("/")).replace("{line}", &line));
    true
}
