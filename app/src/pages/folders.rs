//! The folders page: what was found on this machine, and what the owner says of it. Nothing is read without consent.

mod none;
mod row;

use crate::figures;
use crate::icon::{Glyph, Icon, Motion, Size};
use crate::pages::sessions::import_line;
use crate::part::{Part, part};
use crate::render::render;
use crate::shared::page_action::PageAction;
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, agent_name, icon};
use api::imports::{FailedFile, ImportJob};
use api::projects::{Project, ProjectState, Projects, UnreadFolder};
use leptos::prelude::*;

/// Files that are named of those that could not be read.
const FAILURES: usize = 50;

pub struct FoldersPage {
    pub projects: Projects,
    /// Running and recent imports, newest first.
    pub imports: Vec<ImportJob>,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &FoldersPage) -> String {
    shell::page(&data.shell, || Frame {
        title: "Folders",
        place: NavItem::Folders,
        skip: ("#folders", "Skip to the folders"),
        session: None,
        rail: Rail::Recent { open: None },
        content: part! {
            <main class="main" id="main">
                <header class="bar"><div class="bar-title"><h1>"Folders"</h1><p class="meta"><span>"What Verbatim reads on this machine"</span></p></div></header>
                <div class="scroll" tabindex="-1"><div class="page narrow folders" id="folders" tabindex="-1">{list_view(data)}</div></div>
            </main>
        },
        layout: Layout::Main,
    })
}

/// The inner HTML of `#folders`.
pub fn list(data: &FoldersPage) -> String {
    render(|| list_view(data))
}

fn list_view(data: &FoldersPage) -> Part {
    let projects = &data.projects.projects;
    let running: Vec<_> = data.imports.iter().filter(|job| !job.done).map(import_line).collect();
    if projects.is_empty() {
        return part! { {running}{none::none(data)}{failures(&data.imports)}{unread(&data.projects.unread)} };
    }
    let of = |wanted: ProjectState| projects.iter().filter(move |p| p.state == wanted).collect::<Vec<_>>();
    let mut waiting = of(ProjectState::Waiting);
    waiting.retain(|project| project.files > 0);
    let (links, plain): (Vec<&Project>, Vec<&Project>) =
        waiting.iter().copied().partition(|project| project.leads_to.is_some());
    let known: Vec<_> =
        [ProjectState::Following, ProjectState::Paused, ProjectState::Excluded].into_iter().flat_map(of).collect();
    let head = if waiting.is_empty() {
        (
            None,
            "Verbatim copies the transcripts of these folders into its own store, changes nothing in them, and sends nothing anywhere.",
        )
    } else {
        let found = figures::counted(i64::try_from(waiting.len()).unwrap_or(0), "folder");
        let verb = if waiting.len() == 1 { "is" } else { "are" };
        (
            Some(part! { <h2>{format!("{found} with agent sessions {verb} on this machine")}</h2> }),
            "Choose what Verbatim may read. It copies transcripts into its own store, changes nothing, and sends nothing anywhere. You can change this here at any time.",
        )
    };
    let (title, words) = head;
    part! {
        <div class="pagehead">{title}<p>{words}</p></div>
        <div id="folders-problem" role="alert"></div>
        {running}
        {(!plain.is_empty()).then(|| consent(&plain))}
        {(!links.is_empty()).then(|| elsewhere(&links))}
        {(!known.is_empty()).then(|| known_table(&known))}
        {failures(&data.imports)}
        {skipped(projects)}
        {unread(&data.projects.unread)}
        {reads(&data.projects)}
    }
}

fn consent(waiting: &[&Project]) -> Part {
    let files: i64 = waiting.iter().map(|p| p.files).sum();
    let bytes: i64 = waiting.iter().map(|p| p.bytes).sum();
    let rows: Vec<_> = waiting.iter().map(|project| row::waiting(project)).collect();
    let total = format!("{}, {}", figures::counted(files, "file"), figures::bytes(u64::try_from(bytes).unwrap_or(0)));
    let label =
        if waiting.len() == 1 { "Import this folder".to_owned() } else { format!("Import all {}", waiting.len()) };
    part! {
        <form id="consent">
            <table class="table"><thead><tr>
                <td class="tick-cell"><input type="checkbox" class="tick" id="all-folders" aria-label="All folders" checked/></td>
                <th scope="col">"Folder"</th><th scope="col" class="end">"Files"</th><th scope="col" class="end">"Size"</th>
            </tr></thead><tbody>{rows}</tbody></table>
            <div class="actions">
                <button type="submit" class="btn primary" id="import-chosen">{label}</button>
                <button type="button" class="btn quiet" id="exclude-rest" data-action=PageAction::ExcludeRest.name() hidden>"Never read the others"</button>
                <span class="sp"></span><span class="cap num">{total}</span>
            </div>
        </form>
    }
}

/// Folders that are links: each is asked about by itself, with the place that it leads to.
fn elsewhere(links: &[&Project]) -> Part {
    let rows: Vec<_> = links.iter().map(|project| row::link(project)).collect();
    part! {
        <section class="known" id="links"><h2>"Folders that are links"</h2>
            <p class="mut">"Verbatim reads a linked folder only if you agree to its target."</p>
            <table class="table"><thead><tr>
                <th scope="col">"Folder"</th><th scope="col" class="end hide-narrow">"Files"</th>
                <th scope="col" class="end hide-narrow">"Size"</th><th scope="col" class="end">"Allow reading it?"</th>
            </tr></thead><tbody>{rows}</tbody></table>
        </section>
    }
}

fn known_table(known: &[&Project]) -> Part {
    let rows: Vec<_> = known.iter().map(|project| row::known(project)).collect();
    part! {
        <section class="known"><h2>"Read and excluded"</h2>
            <table class="table"><thead><tr>
                <th scope="col">"Folder"</th><th scope="col">"State"</th><th scope="col" class="end hide-narrow">"Sessions"</th>
                <th scope="col" class="end hide-narrow">"Size"</th><th scope="col" class="end">"Change"</th>
            </tr></thead><tbody>{rows}</tbody></table>
        </section>
        <dialog id="forget" class="ask" aria-labelledby="forget-title">
            <form method="dialog">
                <h2 id="forget-title">"Forget this folder?"</h2>
                <p>"Everything that was imported from "<b id="forget-name"></b>" is deleted from Verbatim's store, and the folder is not read again. The agent's own files stay as they are."</p>
                <div class="actions"><button type="submit" class="btn" value="">"Keep"</button>
                    <button type="submit" class="btn deny" value="forget">"Delete and exclude"</button></div>
            </form>
        </dialog>
    }
}

/// Files that recent imports could not read.
fn failures(imports: &[ImportJob]) -> Option<Part> {
    by_reason(imports.iter().flat_map(|job| &job.failed).collect(), |_| "could not be read")
}

/// Draws the files that aren't read.
fn skipped(projects: &[Project]) -> Option<Part> {
    let words = |count| if count == 1 { "of these folders is passed over" } else { "of these folders are passed over" };
    by_reason(projects.iter().flat_map(|project| &project.skipped).collect(), words)
}

/// Files, each below its reason.
fn by_reason(failed: Vec<&FailedFile>, words: fn(usize) -> &'static str) -> Option<Part> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for file in failed.iter().take(FAILURES) {
        match reasons.iter_mut().find(|(reason, _)| *reason == file.reason) {
            Some((_, paths)) => paths.push(&file.path),
            None => reasons.push((&file.reason, vec![&file.path])),
        }
    }
    let reasons: Vec<_> = reasons
        .into_iter()
        .map(|(reason, paths)| {
            let paths: Vec<_> =
                paths.into_iter().map(|path| part! { <li><code>{path.to_owned()}</code></li> }).collect();
            part! { <p class="mut">{reason.to_owned()}</p><ul role="list">{paths}</ul> }
        })
        .collect();
    (!failed.is_empty()).then(|| {
        let count = figures::counted(i64::try_from(failed.len()).unwrap_or(0), "file");
        part! {
            <details class="callout failures" data-state="failed">
                <summary><Icon glyph=Glyph::CHEV size=Size::Small motion=Motion::Unfolds/>{icon(Glyph::FAIL)}<b>{count}" "{words(failed.len())}</b></summary>
                {reasons}</details>
        }
    })
}

/// Files of known agents that no reader reads.
fn unread(folders: &[UnreadFolder]) -> Option<Part> {
    let row = |folder: &UnreadFolder| {
        let (files, size) = (folder.files, figures::bytes(u64::try_from(folder.bytes).unwrap_or(0)));
        part! {
            <tr><th scope="row">{agent_name(&folder.agent)}<p class="cap">{folder.what.clone()}</p></th>
                <td><code>{folder.path.clone()}</code></td>
                <td class="end num">{figures::count(files)}</td><td class="end num hide-narrow">{size}</td></tr>
        }
    };
    let rows: Vec<_> = folders.iter().map(row).collect();
    (!folders.is_empty()).then(|| {
        part! {
            <section class="known" id="unread"><h2>"Not read yet"</h2>
                <p class="mut">"Files of known agents whose format isn't supported."</p>
                <table class="table"><thead><tr>
                    <th scope="col">"Agent"</th><th scope="col">"Folder"</th>
                    <th scope="col" class="end">"Files"</th><th scope="col" class="end hide-narrow">"Size"</th>
                </tr></thead><tbody>{rows}</tbody></table>
            </section>
        }
    })
}

fn reads(projects: &Projects) -> Part {
    let roots: Vec<_> = projects.roots.iter().map(|root| part! { <li><code>{root.clone()}</code></li> }).collect();
    let shown = (!roots.is_empty()).then(
        || part! { <details><summary class="link">"Show the folders"</summary><ul role="list">{roots}</ul></details> },
    );
    part! {
        <div class="callout">{icon(Glyph::EYE)}<div><b>"What Verbatim reads"</b>
            <p class="mut">"Only the transcript folders of the agents, never your code. New lines are followed live while Verbatim runs."</p>
            {shown}</div></div>
    }
}
