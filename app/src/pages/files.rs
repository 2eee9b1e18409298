//! The files that all sessions changed: of a day, or those of a part of a path. It works without script; its state is
//! the URL.

use crate::clock::exact_moment;
use crate::figures;
use crate::icon::Glyph;
use crate::names::{project_name, title};
use crate::pages::changes::parts::{delta, kind};
use crate::pages::stats::select;
use crate::part::{Part, part};
use crate::paths::{path_within, split_path};
use crate::shared::message_href;
use crate::shared::page_path;
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, agent_name, icon, small_icon};
use crate::visible;
use api::files::{FileEdit, FilesPage};
use api::sessions::Facets;
use jiff::ToSpan as _;
use jiff::civil::Date;
use leptos::prelude::*;
use model::view::FileChange;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The most changes that one page shows.
pub const MOST: u32 = 2_000;

/// Parameters of the URL.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Query {
    /// Part of a path, over all days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// `2026-11-01`; today if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub project: Vec<String>,
    /// Cursor of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

pub struct FilesPageData {
    pub query: Query,
    /// The day that the query means.
    pub day: Date,
    pub found: FilesPage,
    /// The last change before the day, where the page is of a day.
    pub before: Option<FileEdit>,
    /// Filter values.
    pub facets: Facets,
    pub shell: ShellData,
}

/// The changes of one session to one file, added up.
struct Changed<'a> {
    /// The last one.
    edit: &'a FileEdit,
    change: FileChange,
    edits: i64,
    added: i64,
    removed: i64,
}

/// The whole page.
pub fn page(data: &FilesPageData) -> String {
    shell::page(&data.shell, || Frame {
        title: "Changed files",
        place: NavItem::Files,
        skip: ("#changed-files", "Skip to the files"),
        session: None,
        rail: Rail::Recent { open: None },
        content: content(data),
        layout: Layout::Main,
    })
}

impl Query {
    /// The page with this query.
    fn href(&self) -> String {
        match serde_html_form::to_string(self) {
            Ok(query) if !query.is_empty() => format!("{}?{query}", page_path::FILES),
            _ => page_path::FILES.to_owned(),
        }
    }
}

fn content(data: &FilesPageData) -> Part {
    let body = if data.found.edits.is_empty() { nothing(data) } else { projects(data) };
    part! {
        <main class="main" id="main">
            <header class="bar"><div class="bar-title"><h1>"Changed files"</h1><p class="meta"><span role="status">{summary(data)}</span></p></div></header>
            {filters(data)}
            <div class="scroll" tabindex="-1"><div class="page" id="changed-files" tabindex="-1">{body}</div></div>
        </main>
    }
}

/// Returns the day with the sums of its files, sessions and lines.
fn summary(data: &FilesPageData) -> Part {
    let edits = &data.found.edits;
    let when = if data.query.path.is_some() { "All days".to_owned() } else { day_words(data, data.day) };
    if edits.is_empty() {
        return part! { {when} };
    }
    let files: HashSet<_> = edits.iter().map(|edit| (&edit.project, &edit.path)).collect();
    let sessions: HashSet<_> = edits.iter().map(|edit| &edit.session_id).collect();
    let counted = |n: usize, what| figures::counted(i64::try_from(n).unwrap_or(i64::MAX), what);
    let words = format!("{when}: {} in {}", counted(files.len(), "file"), counted(sessions.len(), "session"));
    let (added, removed) = (edits.iter().map(|edit| edit.added).sum(), edits.iter().map(|edit| edit.removed).sum());
    part! { {words}" "{delta(added, removed)} }
}

fn today(data: &FilesPageData) -> Date {
    data.shell.clock.day(data.shell.clock.now)
}

fn day_words(data: &FilesPageData, day: Date) -> String {
    let today = today(data);
    if day == today {
        "Today".to_owned()
    } else if Some(day) == today.yesterday().ok() {
        "Yesterday".to_owned()
    } else {
        day.strftime("%A, %-d %B %Y").to_string()
    }
}

/// Days, part of a path and project: a plain form, and links to the days.
fn filters(data: &FilesPageData) -> Part {
    let query = &data.query;
    let (today, shown, projects) = (today(data), data.day, &data.facets.projects);
    let of_day = |day: Option<Date>| {
        let day = day.map(|day| day.to_string());
        Query { day, path: None, after: None, ..query.clone() }
    };
    let earlier = shown.checked_sub(1.day()).ok().map(|day| {
        part! { <a class="btn quiet tiny icon" rel="prev" href=of_day(Some(day)).href() title="The day before">{small_icon(Glyph::LEFT)}<span class="sr">"The day before"</span></a> }
    });
    let later = shown.checked_add(1.day()).ok().filter(|_| shown != today).map(|day| {
        let to = of_day((day != today).then_some(day)).href();
        part! { <a class="btn quiet tiny icon" rel="next" href=to title="The day after">{small_icon(Glyph::CHEV)}<span class="sr">"The day after"</span></a> }
    });
    let is_today = query.path.is_none() && shown == today;
    let day = query.path.is_none().then(|| {
        part! {
            {earlier}
            <label class="pick"><span class="sr">"Day"</span><span class="field"><input type="date" name="day" value=shown.to_string()/></span></label>
            {later}
        }
    });
    let narrowed = query.path.is_some() || !query.project.is_empty();
    let clear = narrowed.then(|| {
        let all = Query { day: query.day.clone(), ..Query::default() };
        part! { <a class="btn quiet tiny" href=all.href()>{small_icon(Glyph::X)}"Clear"</a> }
    });
    part! {
        <form class="subbar" id="files-filters" method="get" autocomplete="off" action=page_path::FILES aria-label="Filters">
            <a class="chip" href=of_day(None).href() aria-current=is_today.then_some("true")>"Today"</a>
            {day}
            <label class="field">{small_icon(Glyph::SEARCH)}<span class="sr">"Part of a path, on any day"</span>
                <input type="search" name="path" id="find" dir="ltr" placeholder="Part of a path, on any day" value=query.path.clone()/></label>
            {select("project", "Project", "Every project", &query.project, projects, |value| project_name(value, projects))}
            {clear}
            // Enter sends a form of several fields by its button alone.
            <button type="submit" class="btn tiny" hidden="">"Show"</button>
            <noscript><button type="submit" class="btn tiny">"Show"</button></noscript>
        </form>
    }
}

fn projects(data: &FilesPageData) -> Part {
    let mut projects: Vec<(&str, Vec<Changed<'_>>)> = Vec::new();
    for edit in &data.found.edits {
        let at = projects.iter().position(|(project, _)| *project == edit.project).unwrap_or_else(|| {
            projects.push((&edit.project, Vec::new()));
            projects.len() - 1
        });
        if let Some((_, files)) = projects.get_mut(at) {
            count(files, edit);
        }
    }
    let sections: Vec<_> = projects.into_iter().map(|(project, files)| section(data, project, &files)).collect();
    let more = data.found.next.clone().map(|next| {
        let query = Query { after: Some(next), ..data.query.clone() };
        part! { <a class="btn" href=query.href()>"Show earlier changes"</a> }
    });
    let back = data.query.after.is_some().then(|| {
        let query = Query { after: None, ..data.query.clone() };
        part! { <a class="btn quiet" href=query.href()>"Back to the latest"</a> }
    });
    let ways = (more.is_some() || back.is_some()).then(|| part! { <div class="actions">{back}{more}</div> });
    part! { <div class="hits">{sections}</div>{ways} }
}

/// Adds an edit, which is earlier than those before, to what its session did to its file. Files stand in the order of
/// their last edits.
fn count<'a>(files: &mut Vec<Changed<'a>>, edit: &'a FileEdit) {
    let same =
        |changed: &&mut Changed<'_>| (&changed.edit.path, &changed.edit.session_id) == (&edit.path, &edit.session_id);
    if let Some(changed) = files.iter_mut().find(same) {
        changed.edits += 1;
        changed.added += edit.added;
        changed.removed += edit.removed;
        // A file that the session created counts as added, unless it was deleted later.
        if changed.change != FileChange::Deleted && edit.change == FileChange::Added {
            changed.change = FileChange::Added;
        }
    } else {
        let (added, removed) = (edit.added, edit.removed);
        files.push(Changed { edit, change: edit.change, edits: 1, added, removed });
    }
}

fn section(data: &FilesPageData, project: &str, files: &[Changed<'_>]) -> Part {
    let rows: Vec<_> = files.iter().map(|file| row(data, file)).collect();
    let name = if project.is_empty() { "No project".to_owned() } else { project_name(project, &data.facets.projects) };
    let paths: HashSet<_> = files.iter().map(|file| &file.edit.path).collect();
    let count = figures::counted(i64::try_from(paths.len()).unwrap_or(i64::MAX), "file");
    let sum = |of: fn(&Changed<'_>) -> i64| files.iter().map(of).sum();
    part! {
        <section>
            <h2>{small_icon(Glyph::FOLDER)}<span class="cut" title=project.to_owned()>{name}</span>
                <span class="sp"></span><span class="cap num">{count}</span>{delta(sum(|file| file.added), sum(|file| file.removed))}</h2>
            {rows}
        </section>
    }
}

fn row(data: &FilesPageData, file: &Changed<'_>) -> Part {
    let edit = file.edit;
    let shown = path_within(&edit.path, &edit.project).unwrap_or(&edit.path);
    let (folder, name) = split_path(shown);
    let edits = (file.edits > 1).then(|| part! { <span class="num">{figures::counted(file.edits, "edit")}", "</span> });
    part! {
        <a class="hit file-edited" href=message_href(&edit.session_id, edit.seq) data-row="">
            {kind(file.change, false)}
            <span class="path" title=visible::plain(&edit.path)><span>{visible::plain(folder)}</span><b>{visible::plain(name)}</b></span>
            <span class="cap cut" dir="auto">{title(&edit.session_title)}</span>
            <span class="cap hide-narrow">{agent_name(&edit.agent)}</span>
            {delta(file.added, file.removed)}
            <span class="cap">{edits}{exact_moment(&data.shell.clock, edit.changed_at, "num")}</span>
        </a>
    }
}

fn nothing(data: &FilesPageData) -> Part {
    if let Some(path) = &data.query.path {
        let hint = if data.query.project.is_empty() {
            "Enter the beginning of a word in its path."
        } else {
            "Not in this project."
        };
        return part! {
            <div class="pagehead"><h2>{format!("No changed file with \u{201c}{path}\u{201d} in its path")}</h2><p>{hint}</p></div>
        };
    }
    let words = match day_words(data, data.day).as_str() {
        "Today" => "Nothing was changed today".to_owned(),
        "Yesterday" => "Nothing was changed yesterday".to_owned(),
        day => format!("Nothing was changed on {day}"),
    };
    let before = data.before.as_ref().map(|edit| {
        let day = data.shell.clock.day(edit.changed_at);
        let to = Query { day: Some(day.to_string()), after: None, ..data.query.clone() }.href();
        part! { <div class="actions"><a class="btn" href=to>{icon(Glyph::CLOCK)}{format!("The last changes before: {}", day_words(data, day))}</a></div> }
    });
    let hint = match (&data.before, data.query.project.is_empty()) {
        (None, true) => {
            "The files that agents edit are listed here, by day and project, as soon as a session edits one."
        }
        (None, false) => "There are no earlier changes in this project either.",
        (Some(_), _) => "Files that agents edited are listed here, by project.",
    };
    part! { <div class="pagehead"><h2>{words}</h2><p>{hint}</p></div>{before} }
}
