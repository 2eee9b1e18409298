//! No transcripts at all: what was looked into, and three commands that change it.

use crate::figures;
use crate::icon::{Glyph, Icon, Motion, Size};
use crate::pages::panel::copy_line;
use crate::part::{Part, part};
use leptos::prelude::*;

const WAYS: [(&str, &str); 3] = [
    ("Read the transcripts of another folder", "verbatim serve --claude-dir ~/.claude"),
    ("Or import files, once", "verbatim import ~/backup/claude/projects"),
    ("Or look at an example first", "verbatim serve --demo"),
];

pub fn none(roots: &[String]) -> Part {
    let places = figures::counted(i64::try_from(roots.len()).unwrap_or(0), "folder");
    let ways: Vec<_> = WAYS
        .into_iter()
        .map(|(label, command)| part! { <section><h2>{label}</h2>{copy_line(command.to_owned())}</section> })
        .collect();
    let list: Vec<_> = roots.iter().map(|root| part! { <li><code>{root.clone()}</code></li> }).collect();
    let watching = (!roots.is_empty()).then(|| {
        part! {
            <div class="watching mut"><span class="state" data-state="working"><Icon glyph=Glyph::WORK size=Size::Small motion=Motion::Spins/><span>{format!("Watching {places}")}</span></span>
                <details><summary class="link">"Show the folders"</summary><ul role="list">{list}</ul></details></div>
        }
    });
    part! {
        <div class="pagehead"><h1>"No sessions yet"</h1>
            <p>{format!("Sessions of your agents will be listed here as soon as one starts. Verbatim looked in {places} and follows them; nothing was there.")}</p></div>
        <div class="ways">{ways}</div>
        {watching}
    }
}
