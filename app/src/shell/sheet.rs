//! The sheet that names the keys. It is a template until `frontend::actions` opens it: two hundred elements on each
//! page.

use super::icon;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::shared::keymap::{COMMANDS, Entry, Group, alternatives, keys_of, readable};
use leptos::prelude::*;

pub fn sheet(changed: &[(String, String)]) -> Part {
    // In two columns of about one height.
    let mut groups = Group::ALL;
    groups.sort_by_key(|(group, _)| matches!(group, Group::Lists | Group::Changes));
    let groups: Vec<_> = groups
        .into_iter()
        .map(|(group, heading)| {
            let rows: Vec<_> =
                COMMANDS.iter().filter(|entry| entry.group == group).filter_map(|entry| row(entry, changed)).collect();
            part! { <section><h3>{heading}</h3><dl>{rows}</dl></section> }
        })
        .collect();
    part! {
        <dialog id="keys" class="sheet wide" aria-labelledby="keys-title">
            <form method="dialog" class="sheet-head"><h2 id="keys-title" tabindex="-1" autofocus>"Keyboard shortcuts"</h2>
                <a class="btn quiet tiny" href="/settings#shortcuts">"Change"</a>
                <button type="submit" class="btn quiet icon" title="Close">{icon(Glyph::X)}<span class="sr">"Close"</span></button></form>
            <div class="sheet-body columns"><template>{groups}</template><p class="sheet-foot"><a class="link" href="/docs/api">"API reference"</a></p></div>
        </dialog>
    }
}

/// A command without a key has no place here.
fn row(entry: &Entry, changed: &[(String, String)]) -> Option<Part> {
    let keys = keys_of(entry, changed);
    (!keys.is_empty()).then(|| part! { <div><dt>{kbds(keys)}</dt><dd>{entry.words}</dd></div> })
}

/// The keys of a command, each as it is pressed.
pub fn kbds(keys: &str) -> Vec<Part> {
    alternatives(keys).map(|keys| part! { <kbd>{readable(keys)}</kbd> }).collect()
}
