//! No transcripts at all: what was looked into, and three commands that change it.

use super::FoldersPage;
use crate::figures;
use crate::icon::{Glyph, Icon, Motion, Size};
use crate::pages::panel::copy_line;
use crate::part::{Part, part};
use api::imports::ImportJob;
use leptos::prelude::*;

const WAYS: [(&str, &str); 3] = [
    ("Read the transcripts of another folder", "verbatim serve --claude-dir ~/.claude"),
    ("Or import files, once", "verbatim import ~/backup/claude/projects"),
    ("Or look at an example first", "verbatim serve --demo"),
];

pub fn none(data: &FoldersPage) -> Part {
    let roots = &data.projects.roots;
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
    let sessions = data.shell.sessions;
    let here = figures::counted(sessions, "session");
    let (title, words) = match (sessions > 0, roots.is_empty()) {
        (true, false) => (
            "No folder is followed",
            format!(
                "Verbatim has {here}, imported or sent by agents. It found no transcripts in {places}. Sessions that start there appear automatically."
            ),
        ),
        (true, true) => (
            "No folder is followed",
            format!(
                "Verbatim has {here}, imported or sent by agents. It was started without looking for folders of agents."
            ),
        ),
        (false, false) => (
            "No sessions yet",
            format!(
                "Sessions of your agents are listed here as soon as one starts. Verbatim found none in {places} yet, and follows these folders."
            ),
        ),
        (false, true) => (
            "No sessions yet",
            "Verbatim was started without looking for folders of agents. Sessions that agents send or that you import are listed on the sessions page.".to_owned(),
        ),
    };
    part! {
        <div class="pagehead"><h2>{title}</h2><p>{words}</p></div>
        {imported(&data.imports)}
        <div class="ways">{ways}</div>
        {watching}
    }
}

/// Draws the imports since the program's start.
fn imported(imports: &[ImportJob]) -> Option<Part> {
    let whole = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let rows: Vec<_> = imports
        .iter()
        .filter(|job| job.done)
        .map(|job| (job, job.files_done.saturating_sub(job.failed.len() as u64)))
        // For an import that could read nothing, the files and reasons are below.
        .filter(|(_, read)| *read > 0)
        .map(|(job, read)| {
            part! {
                <tr><th scope="row">{figures::counted(whole(read), "file")}</th>
                    <td class="end num">{figures::bytes(job.bytes_done)}</td>
                    <td class="end num">{figures::count(whole(job.sessions))}</td>
                    <td class="end num hide-narrow">{figures::count(whole(job.messages))}</td></tr>
            }
        })
        .collect();
    (!rows.is_empty()).then(|| {
        part! {
            <section class="known"><h2>"Imported since the start"</h2>
                <table class="table"><thead><tr>
                    <th scope="col">"Files"</th><th scope="col" class="end">"Size"</th>
                    <th scope="col" class="end">"Sessions"</th><th scope="col" class="end hide-narrow">"New messages"</th>
                </tr></thead><tbody>{rows}</tbody></table></section>
        }
    })
}
