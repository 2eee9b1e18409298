//! Keyboard shortcuts, and how to change them.

use crate::part::{Part, part};
use crate::shared::keymap::{COMMANDS, Entry, Group, keys_of};
use crate::shared::page_action::PageAction;
use crate::shell::{ShellData, kbds};
use leptos::prelude::*;

pub fn shortcuts(shell: &ShellData) -> Part {
    let changed = shell.changed_keys();
    let tables: Vec<_> = Group::ALL
        .into_iter()
        .map(|(group, heading)| {
            let rows: Vec<_> = COMMANDS.iter().filter(|entry| entry.group == group).map(|entry| row(entry, &changed)).collect();
            part! { <table class="table compact"><caption class="group-head">{heading}</caption><tbody>{rows}</tbody></table> }
        })
        .collect();
    let reset = (!changed.is_empty()).then(
        || part! { <button type="button" class="btn quiet tiny" data-action=PageAction::UsualKeys.name()>"Reset all shortcuts"</button> },
    );
    part! {
        <section id="shortcuts" aria-labelledby="shortcuts-heading">
            <div class="pagehead"><h2 id="shortcuts-heading">"Shortcuts"</h2><p>"Single-key shortcuts are disabled while you type in a field."</p></div>
            <div class="actions"><label class="switch"><input type="checkbox" role="switch" id="single-keys" checked=shell.preferences.single_keys/>"Single-key shortcuts"</label>{reset}</div>
            <p class="cap" id="keys-say" role="status"></p>
            <div class="cols2">{tables}</div>
        </section>
    }
}

fn row(entry: &Entry, changed: &[(String, String)]) -> Part {
    let keys = keys_of(entry, changed);
    let shown = if keys.is_empty() { vec![part! { <span class="mut">"none"</span> }] } else { kbds(keys) };
    part! {
        <tr><th scope="row">{entry.words}</th><td class="end"><span class="chips">{shown}</span></td>
            <td class="end change"><button type="button" class="btn quiet tiny" data-action=PageAction::ChangeKey.name() data-command=entry.id>"Change"<span class="sr">{format!(": {}", entry.words)}</span></button></td></tr>
    }
}
