//! Parts of a file that the changes page and the session's panel share.

use crate::figures;
use crate::part::{Part, part};
use crate::paths::path_within;
use crate::shared::session_href;
use api::messages::EditRef;
use leptos::prelude::*;
use model::Session;
use model::view::FileChange;

/// Returns true if it is in the file.
pub fn happened(edit: &EditRef) -> bool {
    matches!(edit.state.as_str(), "applied" | "partly_applied")
}

/// A path without the folder that the agent worked in.
pub fn short<'p>(session: &Session, path: &'p str) -> &'p str {
    let base = session.cwd.as_deref().unwrap_or(&session.project);
    path_within(path, base).unwrap_or(path)
}

/// Draws the kind of change as a letter.
pub fn kind(change: FileChange, is_renamed: bool) -> Part {
    let (letter, word) = match change {
        _ if is_renamed => ("R", "Renamed"),
        FileChange::Added => ("A", "Added"),
        FileChange::Modified => ("M", "Modified"),
        FileChange::Deleted => ("D", "Deleted"),
    };
    part! { <span class="kind" data-k=letter role="img" aria-label=word title=word>{letter}</span> }
}

/// Lines added and removed. What is none isn't said.
pub fn delta(added: i64, removed: i64) -> Option<Part> {
    let added_words = (added > 0).then(|| format!("{} added", figures::counted(added, "line")));
    let removed_words = (removed > 0).then(|| match added {
        0 => format!("{} removed", figures::counted(removed, "line")),
        _ => format!("{} removed", figures::count(removed)),
    });
    let words = added_words.into_iter().chain(removed_words).collect::<Vec<_>>().join(", ");
    (!words.is_empty()).then(|| {
        let added = (added > 0).then(|| part! { <ins>{format!("+{added}")}</ins> });
        let removed = (removed > 0).then(|| part! { <del>{format!("\u{2212}{removed}")}</del> });
        part! { <span class="delta" role="img" aria-label=words>{added}{removed}</span> }
    })
}

/// Where the rest of what was changed is told.
pub fn elsewhere(session: &Session) -> Option<Part> {
    let words = match session.child_count {
        ..=0 => return None,
        1 => "Changes by its sub-agent are listed in the sub-agent's own session, and aren't counted here".to_owned(),
        many => format!("Changes by its {many} sub-agents are listed in their own sessions, and aren't counted here"),
    };
    let to = format!("{}?panel=agents", session_href(session.id.as_str()));
    Some(part! { <a class="link cap" href=to>{words}</a> })
}
