//! Texts for the clipboard.

use crate::patch::{Changed, Part, unified};
use api::net::NetFile;
use serde::Deserialize;

/// The text to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CopyWhat {
    Patch,
    Old,
    New,
}

/// A text for the clipboard.
///
/// Paths begin in `folder`, as far as the files are in it.
pub fn copied(file: &NetFile, what: CopyWhat, folder: &str) -> String {
    let parts = file.texts.as_ref().map(|texts| texts.parts.as_slice()).unwrap_or_default();
    match what {
        CopyWhat::Old => parts.iter().filter_map(|part| part.old.as_deref()).collect(),
        CopyWhat::New => parts.iter().filter_map(|part| part.new.as_deref()).collect(),
        CopyWhat::Patch => {
            let patches = file.texts.iter().flat_map(|texts| &texts.patches).map(String::as_str).collect();
            let parts = parts.iter().map(Part::from).collect();
            unified(&Changed { path: &file.path, moved_from: file.moved_from.as_deref(), parts, patches }, folder)
        }
    }
}
