//! The sheet that names the keys. The island `Keys` opens it.

use super::icon;
use crate::icon::Glyph;
use crate::part::{Part, part};
use leptos::prelude::*;

const KEYS: [(&str, &[(&str, &str)]); 4] = [
    ("Everywhere", &[("/", "Search, or filter this list"), ("g s", "Sessions"), ("?", "This sheet"), ("Esc", "Close")]),
    ("Lists and transcript", &[("j", "Next"), ("k", "Previous"), ("o", "Open")]),
    (
        "Transcript",
        &[
            ("e", "Unfold or fold the card"),
            ("[", "Previous prompt"),
            ("]", "Next prompt"),
            ("gg", "Beginning"),
            ("G", "End"),
            (".", "Developer view"),
        ],
    ),
    (
        "Changes",
        &[
            ("n", "Next change"),
            ("p", "Previous change"),
            ("]", "Next file"),
            ("[", "Previous file"),
            ("v", "Viewed"),
            ("c", "Comment on the chosen lines"),
            ("u", "Unified"),
            ("s", "Split"),
            ("z", "Wrap long lines"),
            ("w", "Ignore white space"),
            ("F7", "The file in words"),
        ],
    ),
];

pub fn sheet() -> Part {
    let groups: Vec<_> = KEYS
        .into_iter()
        .map(|(heading, keys)| {
            let rows: Vec<_> = keys
                .iter()
                .map(|(key, does)| part! { <div><dt><kbd>{*key}</kbd></dt><dd>{*does}</dd></div> })
                .collect();
            part! { <section><h3>{heading}</h3><dl>{rows}</dl></section> }
        })
        .collect();
    part! {
        <dialog id="keys" class="sheet" aria-labelledby="keys-title">
            <form method="dialog" class="sheet-head"><h2 id="keys-title">"Keyboard shortcuts"</h2>
                <button type="submit" class="btn quiet icon" title="Close">{icon(Glyph::X)}<span class="sr">"Close"</span></button></form>
            <div class="sheet-body">{groups}<p class="sheet-foot"><a class="link" href="/docs/api">"API reference"</a></p></div>
        </dialog>
    }
}
