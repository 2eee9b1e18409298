//! Texts for the clipboard.

use super::CONTEXT;
use api::net::{NetFile, NetPart};
use serde::Deserialize;

/// What may be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CopyWhat {
    Patch,
    Old,
    New,
}

/// A text for the clipboard.
pub fn copied(file: &NetFile, what: CopyWhat) -> String {
    let parts = file.texts.as_ref().map(|texts| texts.parts.as_slice()).unwrap_or_default();
    match what {
        CopyWhat::Old => parts.iter().filter_map(|part| part.old.as_deref()).collect(),
        CopyWhat::New => parts.iter().filter_map(|part| part.new.as_deref()).collect(),
        CopyWhat::Patch => patch(file, parts),
    }
}

/// A unified diff that `git apply` and `patch` read.
fn patch(file: &NetFile, parts: &[NetPart]) -> String {
    use std::fmt::Write;
    let path = file.path.trim_start_matches('/');
    let side =
        |prefix: &str, is_there: bool| if is_there { format!("{prefix}/{path}") } else { "/dev/null".to_owned() };
    let mut out = format!(
        "--- {}\n+++ {}\n",
        side("a", parts.iter().all(|part| part.old.is_some())),
        side("b", parts.iter().all(|part| part.new.is_some()))
    );
    for part in parts {
        let (old, new) = (part.old.as_deref().unwrap_or_default(), part.new.as_deref().unwrap_or_default());
        let (first_old, first_new) = part.first_line.unwrap_or((1, 1));
        for hunk in diff::hunks(old, new, CONTEXT) {
            let at = |first: u32, range: &std::ops::Range<u32>| match range.len() {
                // git names the line before an empty side.
                0 => format!("{},0", (first + range.start).saturating_sub(1)),
                length => format!("{},{length}", first + range.start),
            };
            let _ = writeln!(out, "@@ -{} +{} @@", at(first_old, &hunk.old), at(first_new, &hunk.new));
            out.push_str(&hunk.text);
        }
    }
    for patch in file.texts.iter().flat_map(|texts| &texts.patches) {
        out.push_str(patch);
    }
    out
}
